"""The sample: the second box, a rehearsed restore, and a helper that looked at a bridge."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_SECOND = r"""
> [CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. Mara's lab box: external
  network `proxy` (172.30.0.0/24) shared with Traefik, default address pool 10.210.0.0/16,
  jellyfin on macvlan `lan` with a host shim, downloader in the VPN container's namespace,
  published ports only 80, 443, 2222. Open: pin images, volume backups, restore order.
~ wait 13
> continuing: after last night's unattended upgrade gitea is 502 again
< Let me check whether it is the same cause as before.
$ docker inspect gitea --format '{{json .NetworkSettings.Networks}}' | jq keys
| [
|   "gitea_default"
| ]
< It lost `proxy`. Something recreated the container from an older compose file. Watchtower?
> yes, watchtower. I thought it keeps the networks
< It re-attaches networks it saw at start. The container was created before you added `proxy` and
  only connected by hand.
$ docker compose -f /srv/gitea/compose.yaml up -d --force-recreate && curl -sI https://git.lab
= curl 200 https://git.lab
> ok. Turn off watchtower for good, I'd rather get a list and update myself
< Then a nightly report that compares digests and changes nothing. I will add a cron job for it.
! cronjob {"action": "create", "name": "nightly-docker", "schedule": "30 3 * * *", "prompt":
  "Compare running image digests with the registry, list restarts and network changes since
  yesterday. Change nothing."}
| created job nightly-docker
> Now docker networking part two: the second box arrived. Can both share one network?
< Options, from simple to grand: publish on the LAN and let Traefik reach the other box by
  address; WireGuard between the two and routes to the bridges; or swarm with an overlay network.
> swarm is dead isn't it
< Swarm mode is maintained, just not fashionable. For two boxes an overlay is three commands. But
  it also changes how you deploy, and macvlan on swarm is awkward.
> Routes over WireGuard then. I like to see what happens
< Give box two its own pool, 10.211.0.0/16, so that the routes do not overlap, and tell each side
  about the other.
$ ssh lab2 docker network ls
= netls backup_default metrics_default
! delegate_task {"goal": "Inspect the docker bridge setup on lab2: address pools, iptables FORWARD
  policy, IP forwarding, anything that would block routed traffic from 10.210.0.0/16", "context":
  "read only, report findings"}
| {"results": [{"status": "completed", "summary": "FORWARD policy is DROP; no DOCKER-USER rule for
  10.210.0.0/16; ip_forward is 1; pool is the default 172.17.0.0/12, not 10.211.0.0/16.
  Inter-network traffic is isolated by DOCKER-ISOLATION-STAGE-2."}]}
< The helper found three things to fix on lab2: the pool, the FORWARD policy, and Docker's
  isolation chain, which drops routed traffic that goes straight to a container address.
> isolation chain? I never asked for that
< It is what keeps two bridges on one host apart. Routed packets from wg0 to a bridge are not
  between two bridges, so they pass, unless the container address is looked up from another
  bridge. In short: from the host of box one it works, from a container of box one it needs
  masquerading off.
$ ssh lab2 sudo iptables -I DOCKER-USER -i wg0 -s 10.210.0.0/16 -j ACCEPT
|
$ docker exec gitea ping -c4 10.211.0.5
= ping 10.211.0.5
> YES. Prometheus on lab2 scrapes gitea directly?
$ ssh lab2 curl -sI http://10.210.1.3:3000/metrics
= curl 200 http://10.210.1.3:3000/metrics
< It does. Use names rather than addresses though: container addresses change at every recreate.
> how, the embedded DNS only knows its own host
< A small DNS on each box that watches Docker, or static entries for the few that matter. You have
  two cross-box targets, so I would use a fixed `ipv4_address` for these and be done.
> fixed it is: gitea 10.210.1.10, postgres 10.210.1.11
! patch {"path": "/srv/gitea/compose.yaml", "old": "networks: [default, proxy]", "new":
  "networks:\n      default:\n        ipv4_address: 10.210.1.10\n      proxy: {}"}
| patched 1 place
$ docker compose -f /srv/gitea/compose.yaml up -d
| Error response from daemon: user specified IP address is supported only when connecting to
  networks with user configured subnets
< Compose made `gitea_default` from the pool; a fixed address needs an explicit subnet in the
  file. Adding an ipam section.
! patch {"path": "/srv/gitea/compose.yaml", "old": "networks:\n  proxy:", "new":
  "networks:\n  default:\n    ipam:\n      config: [{subnet: 10.210.1.0/24}]\n  proxy:"}
| patched 1 place
$ docker compose -f /srv/gitea/compose.yaml down && docker compose -f /srv/gitea/compose.yaml up
  -d
| [+] Running 4/4
|  \e[32m✔\e[0m Network gitea_default  Created
|  \e[32m✔\e[0m Container gitea-db     Started
|  \e[32m✔\e[0m Container gitea        Started
> 👍 what about backups over this link, restic at full tilt makes gitea sluggish
< Shape it: `tc` on wg0, or restic's own `--limit-upload`. The second is one flag.
$ restic -r sftp:lab2:/backup backup /srv --limit-upload 20000
= restic /srv
> smooth. Do the log drivers matter? journald vs json-file
< For two boxes: journald gives you one place to read and rotation for free. The cost is that
  `docker logs` gets slower on long histories.
> keep json. Let me show you the ping graph, it spikes every hour
% a Grafana panel: round-trip time with a spike every hour
< Hourly and about 40 seconds long. That is the snapshot job: it saturates the disk, and the
  tunnel's userspace stalls. Is WireGuard the kernel module or boringtun in a container?
> …container, because I followed a blog
< Use the kernel one on the host. Less CPU, and it does not share a cgroup with your media stack.
$ sudo modprobe wireguard && sudo wg-quick up wg0
| [#] ip link add wg0 type wireguard
| [#] wg setconf wg0 /dev/fd/63
| [#] ip -4 address add 10.8.0.1/24 dev wg0
| [#] ip link set mtu 1420 up dev wg0
> spikes gone after an hour. what a difference
> Could any of this survive if lab1 dies? Restore order?
< Write it down as a runbook: daemon.json first (pools), then `docker network create proxy`, then
  restore volumes, then Traefik, gitea-db, gitea, the rest. Networks before containers, or compose
  will invent its own.
> yes write /srv/RESTORE.md
! write_file {"path": "/srv/RESTORE.md", "content": "# Restore order\n1. /etc/docker/daemon.json,
  restart docker\n2. docker network create --subnet 172.30.0.0/24 proxy\n3. docker network create
  lan (macvlan, see wiki)\n4. restic restore latest --target /\n5. traefik, gitea-db, gitea, hass,
  media\n6. check: curl -I https://git.lab\n"}
| wrote 241 bytes
> and a test restore on a VM sometime
< I would do it before you need it. An hour on a rainy Sunday.
"""

_THIRD = r"""
> [CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. Two lab boxes, routed
  bridges 10.210.0.0/16 and 10.211.0.0/16 over kernel WireGuard, fixed addresses for gitea
  (10.210.1.10) and postgres (10.210.1.11), nightly-docker cron report, restore order in
  /srv/RESTORE.md. Open: test restore on a VM.
~ wait 161
> rainy Sunday! test restore, VM is up at 192.168.20.77
< Following your own RESTORE.md, and noting every place where it is wrong.
$ ssh restore 'docker network create --subnet 172.30.0.0/24 proxy'
| Error response from daemon: Pool overlaps with other one on this address space
< Step 1 was skipped: daemon.json came from the image, so a default bridge already sits in 172.30.
  First correction: check `docker network ls` before step 2.
$ ssh restore 'docker network prune -f && docker network create --subnet 172.30.0.0/24 proxy'
| Deleted Networks:
| old_default
| 7be1c2f09d1e
$ ssh restore restic restore latest --target /
| restoring <Snapshot 4be1c02d of [/srv] at lab1> to /
| Summary: Restored 48211 files/dirs (61.204 GiB) in 22:41
> 22 minutes, not bad
$ ssh restore 'cd /srv/gitea && docker compose up -d && docker compose ps'
= ps gitea gitea-db
> gitea loops
$ ssh restore docker logs --tail 12 gitea
= log gitea 12
< It wants the macvlan parent `enp3s0`, which on the VM is called `ens18`. The media file carries
  the same name. Second correction: put the parent interface into an .env file.
> so docker networking config should never name hardware. noted
< Nearly never: a macvlan must name something, but one variable in one place.
$ ssh restore 'curl -sI -H "Host: git.lab" http://localhost'
= curl 200 http://localhost
> Restored in 41 minutes including my tea. Writing that on the wall
< I updated RESTORE.md: pools before networks, prune, PARENT_IF in .env, and the measured time.
  Total docker networking knowledge needed during the restore: none, which is how it should be.
> 🎉 closing this one. Keep it pinned
"""

_BRIDGE = r"""
> Inspect the docker bridge setup on lab2: address pools, iptables FORWARD policy, IP forwarding,
  anything that would block routed traffic from 10.210.0.0/16. Read only, report findings.
$ ssh lab2 'cat /etc/docker/daemon.json; sysctl net.ipv4.ip_forward; sudo iptables -S FORWARD'
| cat: /etc/docker/daemon.json: No such file or directory
| net.ipv4.ip_forward = 1
| -P FORWARD DROP
| -A FORWARD -j DOCKER-USER
| -A FORWARD -j DOCKER-ISOLATION-STAGE-1
$ ssh lab2 'docker network inspect $(docker network ls -q) --format "{{.Name}} {{range
  .IPAM.Config}}{{.Subnet}}{{end}}"'
| bridge 172.17.0.0/16
| backup_default 172.18.0.0/16
| host
| metrics_default 172.19.0.0/16
< Findings: no daemon.json, so pools are the default 172.17.0.0/12; FORWARD policy is DROP with no
  DOCKER-USER rule for 10.210.0.0/16; ip_forward is 1. Docker networking isolation (STAGE-2) will
  drop bridge-to-bridge packets.
"""

TALKS = (
    Talk(
        key="docker-2", day=170, hour=0, script=_SECOND, end="compression", parent="docker-1",
        edge="compression", cwd="/srv",
    ),
    Talk(
        key="docker-3", day=169, hour=0, script=_THIRD, parent="docker-2", edge="compression",
        cwd="/srv", pinned=True,
    ),
    Talk(
        key="docker-bridge", day=170, hour=0, script=_BRIDGE, source="subagent",
        parent="docker-2", edge="delegate", end=None, model="hermes-4-70b", cwd="/srv",
    ),
)  # fmt: skip
