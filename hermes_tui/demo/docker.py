"""The sample: one box learns Docker networking, the start of a lineage of three sessions."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_FIRST = r"""
> I want to get docker networking right on the lab box before I move anything else there. Right
  now every compose project makes its own default bridge and nothing can see anything.
? They have one host, several compose projects. The question is which networks should be shared.
  Look before suggesting.
< Let me see what is there first.
$ docker network ls
= netls gitea_default traefik_default media_default hass_default
< Four projects, four isolated bridges. That is the compose default: one network per project,
  named after its folder. For a reverse proxy you want exactly one network that Traefik shares
  with each service it publishes, and everything else private.
> So a network called `proxy` that is external, and each service joins it?
< Yes. Create it once with `docker network create proxy`, declare it `external: true` in each
  compose file, and attach only the service that has a web port. Databases stay on the project's
  own network.
$ docker network create --subnet 172.30.0.0/24 proxy
| 5b0c1e7a9d7f3a6e2f6a0d1b8c4e
> Why the explicit subnet?
< Because Docker picks from 172.17.0.0/12 by itself and one day picks a range your office VPN also
  uses. Naming it keeps that day away.
> Ha, that day was last Thursday. The VPN routed 172.18 and gitea vanished.
< Then let us also pin the pool for everything else.
! read_file {"path": "/etc/docker/daemon.json"}
| {
|   "log-driver": "json-file"
| }
! write_file {"path": "/etc/docker/daemon.json", "content": "{\n  \"log-driver\":
  \"json-file\",\n  \"log-opts\": {\"max-size\": \"10m\", \"max-file\":
  \"3\"},\n  \"default-address-pools\": [{\"base\": \"10.210.0.0/16\", \"size\": 24}]\n}"}
| wrote 164 bytes
< New networks now come from 10.210.0.0/16, 256 of them. I also capped the logs, 40 GB of JSON
  logs is the other classic. It needs a daemon restart; existing networks keep their old range
  until they are recreated.
> do it
$ sudo systemctl restart docker && docker ps --format '{{.Names}}'
| traefik
| gitea
| gitea-db
| hass
| jellyfin
< Everything came back. Now recreate the project networks one at a time, gitea first.
$ cd /srv/gitea && docker compose down && docker compose up -d
| [+] Running 3/3
|  \e[32m✔\e[0m Network gitea_default  Created
|  \e[32m✔\e[0m Container gitea-db     Started
|  \e[32m✔\e[0m Container gitea        Started
> gitea opens, but the container can't reach its database now?! "could not translate host name db"
< The compose service is called `db`, but the container joined only `proxy`. As soon as a service
  lists `networks:` it leaves the default one. List both.
$ sed -n 1,30p /srv/gitea/compose.yaml
| services:
|   gitea:
|     image: gitea/gitea:1.23
|     networks: [proxy]
|   db:
|     image: postgres:16
| networks:
|   proxy:
|     external: true
< Confirmed: `gitea` is on `proxy` only. Change the line to `networks: [default, proxy]`.
> that did it. Would have taken me an hour
> Next: how does name resolution even work inside? I see 127.0.0.11 in resolv.conf
< Every user-defined network gets Docker's embedded DNS at 127.0.0.11. It answers service names
  and container names on networks the container shares, and forwards the rest to the host's
  resolvers. The default `bridge` network has no such DNS, which is the best reason never to use
  it.
$ docker exec gitea getent hosts db traefik
| 10.210.1.2      db
| 172.30.0.2      traefik
> And from the host? I'd like `curl http://gitea` from my laptop
< Names inside Docker stay inside. From outside, publish through Traefik with a host rule and let
  your LAN DNS answer `*.lab` with the server's address.
! read_file {"path": "/srv/traefik/compose.yaml"}
| services:
|   traefik:
|     image: traefik:v3.3
|     command:
|       - --providers.docker=true
|       - --providers.docker.exposedbydefault=false
|     ports: ["80:80", "443:443"]
< Missing: `--providers.docker.network=proxy`. Without it Traefik may pick gitea's private address
  on `gitea_default`, which it cannot reach, and you get a gateway timeout every other restart.
> OH. That's the random 504!
< Very likely. Traefik takes the first network it finds, and the order of networks in an inspect
  answer is not stable.
$ docker compose -f /srv/traefik/compose.yaml up -d && docker logs --tail 18 traefik
= log traefik 18
> looks good. jellyfin next. It needs DLNA discovery on the LAN so bridge is no good, right?
< Right: DLNA uses multicast, a bridge does not pass it. Two choices: `network_mode: host`,
  simple, no isolation; or a macvlan network that gives the container its own LAN address.
> macvlan sounds neat. What's the catch?
< The host itself cannot talk to a macvlan container through the parent interface; the kernel
  forbids it. Everything else on the LAN can. If Traefik must reach jellyfin, you need a small
  macvlan shim interface on the host, or leave jellyfin on host mode.
$ ip -br link show
| lo               UNKNOWN        00:00:00:00:00:00
| enp3s0           UP             a8:a1:59:3c:11:7e
| docker0          DOWN           02:42:8a:07:41:f0
| br-5b0c1e7a9d7f  UP             02:42:5e:90:1c:b3
$ docker network create -d macvlan --subnet 192.168.20.0/24 --gateway 192.168.20.1 --ip-range
  192.168.20.240/28 -o parent=enp3s0 lan
| 0d98a1f6b7c2
< Addresses .240 to .255 now belong to Docker. Take them out of the DHCP range on the router, or
  two machines will fight over one.
> done, router hands out .50–.200
$ docker run --rm --network lan --ip 192.168.20.241 alpine ping -c4 192.168.20.1
= ping 192.168.20.1
> And from the host to .241?
$ ping -c1 -W1 192.168.20.241
| PING 192.168.20.241 56(84) bytes of data.
| 1 packets transmitted, 0 received, 100% packet loss
< As promised, unreachable. Here is the shim.
$ sudo ip link add lan-shim link enp3s0 type macvlan mode bridge && sudo ip addr add
  192.168.20.239/32 dev lan-shim && sudo ip link set lan-shim up && sudo ip route add
  192.168.20.240/28 dev lan-shim
|
$ ping -c4 192.168.20.241
= ping 192.168.20.241
> magic. Make it survive a reboot?
< As a systemd-networkd pair, a netdev and a network file. I would rather not put `ip` commands in
  rc.local.
! write_file {"path": "/etc/systemd/network/30-lan-shim.netdev", "content":
  "[NetDev]\nName=lan-shim\nKind=macvlan\n\n[MACVLAN]\nMode=bridge\n"}
| wrote 67 bytes
! write_file {"path": "/etc/systemd/network/31-lan-shim.network", "content": "[Match]
  Name=lan-shim [Network] Address=192.168.20.239/32 [Route] Destination=192.168.20.240/28"}
| wrote 104 bytes
< And `MACVLAN=lan-shim` in the network file of enp3s0, that ties the two together.
> rebooted, shim is up, jellyfin shows on the TV 🎉
< Good. That leaves home assistant, and what may talk to what.
> hass wants host mode according to every forum post. Do I believe them?
< For mDNS discovery, yes, same multicast story. If you add your devices by address, a bridge is
  enough. What do you have?
> Zigbee stick, two Shellys, the boiler. Fixed addresses all of them
< Then bridge plus the USB device, and no host mode.
$ docker compose -f /srv/hass/compose.yaml logs --tail 14 hass
= log hass 14
> the boiler sensor is unavailable since the change
< It polls Modbus at 192.168.20.31. From a bridge, outgoing traffic is masqueraded, so that should
  work. Let me look from inside.
$ docker exec hass sh -c 'nc -zv -w2 192.168.20.31 502'
| nc: 192.168.20.31 (192.168.20.31:502): Connection refused
< Refused, not timed out: the network is fine, the boiler gateway accepts one client only. Is the
  old hass still running somewhere?
> …yes. On the Pi. I forgot the Pi.
< Stop that one and it will answer.
> stopped. Values are back. Thank you, past me is embarrassed
> Now firewall. I have ufw denying everything but 22, 80, 443, yet port 8096 answers from my
  phone. How?
< Published ports bypass ufw. Docker writes its rules into the nat table and the FORWARD chain,
  which are consulted before ufw's INPUT rules ever see the packet.
$ sudo iptables -L DOCKER-USER -n -v
| Chain DOCKER-USER (1 references)
|  pkts bytes target     prot opt in     out     source               destination
|  918K  744M RETURN     0    --  *      *       0.0.0.0/0            0.0.0.0/0
< `DOCKER-USER` is the chain for your own rules; Docker leaves it alone. But the better fix is to
  not publish: bind to 127.0.0.1 or publish nothing and let Traefik reach it over `proxy`.
> I prefer publishing nothing. Which ones publish now?
$ docker ps --format '{{.Names}}\t{{.Ports}}'
| traefik      0.0.0.0:80->80/tcp, 0.0.0.0:443->443/tcp
| jellyfin     0.0.0.0:8096->8096/tcp
| gitea        0.0.0.0:3000->3000/tcp, 0.0.0.0:2222->22/tcp
| gitea-db     0.0.0.0:5432->5432/tcp
< gitea-db is open to the whole LAN on 5432. That one first.
> yikes. removed. and 3000, and 8096. Keeping 2222 for git over ssh
< Then the map is: Traefik publishes 80 and 443, gitea publishes 2222, everything else is
  reachable only through `proxy` by name.
> Could you draw that as text so I can put it in the wiki?
< ```
+ internet / LAN
+    │ 80, 443                  2222
+ ┌──▼──────┐   proxy 172.30.0.0/24   ┌─────────┐
+ │ traefik ├────────────┬────────────┤  gitea  │── default ── gitea-db
+ └─────────┘            │            └─────────┘
+                     ┌──┴───┐
+                     │ hass │── usb, 192.168.20.0/24
+                     └──────┘
+ jellyfin: macvlan `lan`, 192.168.20.241, host reaches it over lan-shim
+ ```
> perfect. MTU question: wireguard clients hang on large pages from gitea but not from jellyfin
< That smells like path MTU. WireGuard leaves 1420 bytes, the Docker bridge believes in 1500, and
  something drops the ICMP that would tell it. Test with the don't-fragment bit.
$ ping -M do -s 1400 -c4 10.8.0.2
| ping: local error: message too long, mtu=1420
| --- 10.8.0.2 ping statistics ---
| 4 packets transmitted, 0 received, +4 errors, 100% packet loss
< 1400 + 28 is 1428, over by eight bytes. Set the bridge to 1420 with
  `com.docker.network.driver.mtu`, or clamp the MSS on the tunnel. Clamping fixes all containers
  at once.
$ sudo iptables -t mangle -A FORWARD -o wg0 -p tcp --tcp-flags SYN,RST SYN -j TCPMSS
  --clamp-mss-to-pmtu
|
> pages load instantly now. persists?
< Put it into PostUp of wg0.conf, and the mirror image into PostDown.
> done. One more, then bed: IPv6. Worth it?
< On one host with a provider prefix that changes weekly: only if you need inbound v6. Docker can
  do it since 27 without the experimental flag, but each bridge needs a ULA prefix and ip6tables
  rules. I would leave it.
> leaving it. What is still on my list?
< From what you said: pin image versions, move the media project to `proxy`, back up the volumes,
  and write down the restore order.
> media project: sonarr, radarr, and a downloader that must only go out through the VPN container
< Then the downloader uses `network_mode: "service:vpn"`. It shares the VPN container's network
  stack, so if the tunnel drops it has no route at all.
! read_file {"path": "/srv/media/compose.yaml"}
| services:
|   vpn:
|     image: qmcgaw/gluetun
|     cap_add: [NET_ADMIN]
|   downloader:
|     image: linuxserver/qbittorrent
|   sonarr:
|     image: linuxserver/sonarr
< Three changes: the downloader joins `service:vpn`, its web port moves to the `vpn` service,
  because that one owns the network, and sonarr reaches it under the name `vpn`.
> sonarr says connection refused at http://downloader:8080
< `downloader` no longer has a name on any network. Use `http://vpn:8080`.
$ docker exec sonarr curl -sI http://vpn:8080
= curl 200 http://vpn:8080
> Works. Kill switch test?
$ docker exec vpn ip link set tun0 down; docker exec downloader curl -m 5 -s https://ifconfig.me
| curl: (28) Connection timed out after 5001 milliseconds
< No leak: without the tunnel there is no way out. Bring it back up with a restart of the vpn
  container; the downloader must be restarted after it, as it holds the old namespace.
> Put a healthcheck + depends_on there so I don't need to remember
! patch {"path": "/srv/media/compose.yaml", "old": "image: linuxserver/qbittorrent", "new":
  "image: linuxserver/qbittorrent\n    network_mode:
  \"service:vpn\"\n    depends_on:\n      vpn:\n        condition:
  service_healthy\n        restart: true"}
| patched 1 place
< `restart: true` under depends_on restarts the downloader whenever compose restarts the VPN.
> How much does this bridge business cost in throughput, roughly?
$ docker run --rm --network proxy networkstatic/iperf3 -c 172.30.0.1 -t 5
| [ ID] Interval           Transfer     Bitrate         Retr
| [  5]   0.00-5.00   sec  21.8 GBytes  37.4 Gbits/sec    0  sender
< 37 Gbit/s over the bridge; your NIC does 2.5. The userland proxy for published ports is slower,
  and you barely use it now.
> Can I watch a single container's traffic without installing tcpdump into it?
< Yes: a throwaway container in the same network namespace.
$ docker run --rm --network container:gitea nicolaka/netshoot tcpdump -ni any -c 6 port 5432
| 21:14:02.118 IP 10.210.1.3.48122 > 10.210.1.2.5432: Flags [P.], length 62
| 21:14:02.119 IP 10.210.1.2.5432 > 10.210.1.3.48122: Flags [P.], length 1204
| 21:14:02.119 IP 10.210.1.3.48122 > 10.210.1.2.5432: Flags [.], length 0
| 6 packets captured
> That is a lovely trick
< It works for any tool: dig, curl, ss. The target image can be as bare as it likes.
> Then everything is fine and I stop. Summary please, short
< One external network `proxy` for everything Traefik publishes; project networks private; address
  pool 10.210.0.0/16; jellyfin on macvlan with a host shim; downloader inside the VPN's namespace;
  nothing published but 80, 443 and 2222; MSS clamped on wg0.
"""

TALKS = (
    Talk(
        key="docker-1", day=171, hour=18.4, script=_FIRST, end="compression",
        title="Homelab network plan", cwd="/srv",
    ),
)  # fmt: skip
