"""The sample: other evenings in the homelab, some of which only touch Docker."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_STUTTER = r"""
> the TV stream stutters every few minutes since we moved. jellyfin, 4K, wired
< Let me separate disk, CPU and line.
$ docker stats --no-stream jellyfin
| NAME       CPU %    MEM USAGE / LIMIT     NET I/O
| jellyfin   312.4%   3.1GiB / 15.5GiB      88GB / 92GB
< 312% CPU: it transcodes in software. The new TV probably cannot play the audio track.
! web_search {"query": "jellyfin 4k stutter hardware transcoding container quicksync"}
| 1. Jellyfin docs: pass /dev/dri into the container, group render
| 2. Forum: stutter solved, it was docker networking: host mode instead of bridge for DLNA
| 3. Blog: TrueHD audio forces a video transcode on many TVs
< The first and the third fit. Result two does not: your CPU is the limit, not the line.
$ ls -l /dev/dri
| crw-rw---- 1 root video  226,   0 card0
| crw-rw---- 1 root render 226, 128 renderD128
! patch {"path": "/srv/media/compose.yaml", "old": "image: jellyfin/jellyfin", "new": "image:
  jellyfin/jellyfin\n    devices: [\"/dev/dri:/dev/dri\"]\n    group_add: [\"105\"]"}
| patched 1 place
$ docker compose -f /srv/media/compose.yaml up -d jellyfin && docker stats --no-stream jellyfin
| NAME       CPU %    MEM USAGE / LIMIT     NET I/O
| jellyfin   21.0%    1.2GiB / 15.5GiB      1.1GB / 1.2GB
> 21%! movie night saved
< Enjoy. Quick Sync does the work now.
"""

_REWOUND = r"""
> tidy up the compose file of the media project, it grew wild. Only formatting, no behaviour
! read_file {"path": "/srv/media/compose.yaml", "limit": 20}
| services:
|     vpn:
|       image: qmcgaw/gluetun
|       cap_add: [NET_ADMIN]
< Indentation is mixed, and three keys appear twice; in YAML the last one wins. I will keep the
  winners.
> and while you are there rework the docker networking, put everything on host mode
< Host mode for all of them would expose sonarr and the downloader on the LAN, and take the
  downloader out of the VPN. Are you sure?
> hm no. forget that, wrong project
< Forgotten. Docker networking stays as it is.
~ rewind 2
> just the formatting please
! write_file {"path": "/srv/media/compose.yaml", "content": "services:\n  vpn:\n    image:
  qmcgaw/gluetun\n    cap_add: [NET_ADMIN]\n"}
| wrote 71 bytes
$ docker compose -f /srv/media/compose.yaml config -q && echo same
| same
< Formatted; the resolved configuration is byte for byte the same as before.
"""

_TLS = r"""
> certificate for *.lab expired?! browser red everywhere
$ echo | openssl s_client -connect git.lab:443 2>/dev/null | openssl x509 -noout -dates
| notBefore=Dec  1 04:00:12 2025 GMT
| notAfter=Mar  1 04:00:12 2026 GMT
< Expired this morning. Your own CA issues for 90 days, and the renewal did not run. Traefik's log
  knows why.
$ docker logs traefik 2>&1 | grep -i acme | tail -3
| \e[31mERR\e[0m Unable to obtain ACME certificate error="acme: dial tcp 192.168.20.12:443:
  connect: no route to host"
< The CA lived on .12, which you turned off when the second box came.
> step-ca… on the old NUC. I moved everything but that
< Restore its data directory to lab2, and point the resolver at the new address. The root
  certificate stays, so no device has to trust anything new.
$ restic -r sftp:lab2:/backup restore latest --include /srv/step-ca --target /
| Summary: Restored 48 files/dirs (1.102 MiB) in 0:02
$ docker compose -f /srv/step-ca/compose.yaml up -d && docker restart traefik
| [+] Running 1/1
|  \e[32m✔\e[0m Container step-ca  Started
$ curl -sI https://git.lab
= curl 200 https://git.lab
> green again. alert when < 14 days please
< Added to Prometheus: probe_ssl_earliest_cert_expiry minus time below 14 days.
"""

_ZFS = r"""
> replaced the broken disk, how do I resilver
$ zpool replace tank sdb /dev/disk/by-id/ata-WDC_WD80EFZZ
|
$ zpool status tank | grep -A2 scan
|   scan: resilver in progress since Sat May 30 18:02:11 2026
|         1.02T scanned at 512M/s, 388G issued at 194M/s, 3.91T total
|         389G resilvered, 9.70% done, 05:18:33 to go
< Five hours. Do not reboot, everything else may go on.
> done at midnight, 0 errors 🎉 and how do I get mail next time
< ZED sends it: set ZED_EMAIL_ADDR and ZED_NOTIFY_VERBOSE=1. I would send it to Telegram instead,
  you never read mail.
> true
"""

_WIREGUARD = r"""
> phone connects to wireguard but nothing loads
$ sudo wg show wg0
| peer: 8mB1xkq…
|   endpoint: 93.184.12.7:51820
|   allowed ips: 10.8.0.3/32
|   latest handshake: 8 seconds ago
|   transfer: 12.4 KiB received, 0 B sent
< Received but nothing sent: the answer has no way back. Forwarding or masquerade is missing on
  the server.
$ sysctl net.ipv4.ip_forward
| net.ipv4.ip_forward = 0
> I set that to 1 last year!
< With `sysctl -w`, which does not survive a reboot. It belongs into
  /etc/sysctl.d/99-forward.conf.
> works. it was the reboot
"""

_GRAFANA = r"""
> make a dashboard: power use of the lab, cost per month
! read_file {"path": "/srv/metrics/shelly.json"}
| {"power": 61.2, "total": 188211.4, "unit": "Wh"}
< 61 watts on average. At 0.31 €/kWh that is 13.70 a month. The panel:
  `avg_over_time(shelly_power[30d]) * 24 * 30 / 1000 * 0.31`.
> which box is the hungry one
$ ssh lab1 sudo powertop --csv=- -t 5 2>/dev/null | head -3
| Usage;Wakeups/s;Category;Description
| 11.2 W;201;Device;Display backlight
| 8.9 W;911;Process;[downloader]
< "Display backlight": lab1 is an old laptop with its lid open.
> 🤦 closed the lid. 49 W now
"""

_DNS = r"""
> ads are back on the TV, pihole logs nothing from it
< The TV speaks DNS over HTTPS, or has 8.8.8.8 hard-wired. Redirect port 53 on the router first,
  then look what is left.
$ sudo tcpdump -ni br-lan host 192.168.20.44 and port 53 -c 3
| 192.168.20.44.41822 > 8.8.8.8.53: A? ads.example
| 192.168.20.44.41823 > 8.8.8.8.53: A? log.example
| 192.168.20.44.41825 > 8.8.8.8.53: A? time.example
< Hard-wired. A dstnat rule for 53 from that address to the Pi-hole does it.
> quiet again, lovely
"""

_CHEAT = r"""
> give me a cheat sheet, docker networking, one line each: bridge, host, none, macvlan, ipvlan,
  overlay
< - **bridge**: private network on one host, NAT to the outside, names by embedded DNS
+ - **host**: the container uses the host's stack, no isolation, no port mapping
+ - **none**: loopback only
+ - **macvlan**: own MAC and address on the LAN, host cannot reach it directly
+ - **ipvlan**: like macvlan but one MAC, for networks that allow only one
+ - **overlay**: spans hosts over VXLAN, needs swarm
> and the three commands I always forget
< `docker network inspect NAME`, `docker network connect NAME CONTAINER`, `docker run --rm
  --network container:NAME nicolaka/netshoot`.
> print it, fridge
"""

_HASS = r"""
> boiler automation: start at 5:30 on school days only, and not when the window in the bath is
  open
! read_file {"path": "/srv/hass/automations/boiler.yaml"}
| - alias: boiler morning
|   trigger: {platform: time, at: "05:30:00"}
|   action: {service: switch.turn_on, target: {entity_id: switch.boiler}}
< Two conditions are missing: `binary_sensor.school_day` from the calendar, and the window contact
  being off.
! patch {"path": "/srv/hass/automations/boiler.yaml", "old": "  action:", "new":
  "  condition:\n    - {condition: state, entity_id: binary_sensor.school_day, state:
  \"on\"}\n    - {condition: state, entity_id: binary_sensor.bath_window, state:
  \"off\"}\n  action:"}
| patched 1 place
$ docker compose -f /srv/hass/compose.yaml logs --tail 30 hass
= log hass 30
> it ran on Saturday!
< Saturday was in the school calendar as "open day". Strictly, it was right.
> fair
"""

_PI = r"""
> dockerize the weather station on the Pi? 512 MB RAM
< The Python service itself takes 40 MB, Docker another 90. It fits, though a systemd unit is
  simpler for one script that needs I²C.
> I want it like everything else, compose
$ ssh pi 'docker compose version && free -m | head -2'
| Docker Compose version v2.35.1
|                total        used        free
| Mem:             427         181          61
< 61 MB free. Then at least a slim image, and zram for swap.
! write_file {"path": "/srv/pi/compose.yaml", "content": "services:\n  weather:\n    build:
  .\n    devices: [\"/dev/i2c-1:/dev/i2c-1\"]\n    mem_limit: 96m\n    restart: unless-stopped\n"}
| wrote 128 bytes
$ ssh pi 'cd /srv/pi && docker compose up -d && docker compose ps'
= ps weather
> runs. mqtt can't reach the broker on lab1 though
< Does the Pi's container resolve `lab1`? On a user-defined bridge the embedded resolver forwards
  to the Pi's own DNS, which must know the name.
$ ssh pi docker exec weather getent hosts lab1
|
< It does not. Give it `extra_hosts: ["lab1:192.168.20.10"]`, or fix the Pi's resolver.
> resolver fixed (it had 1.1.1.1), all good
"""

TALKS = (
    Talk(key="stutter", day=151, hour=19.9, script=_STUTTER, title="TV stream stutters",
         cwd="/srv/media"),
    Talk(key="rewound", day=118, hour=18.2, script=_REWOUND, title="Compose file cleanup",
         cwd="/srv/media", source="tui"),
    Talk(key="tls", day=121, hour=7.0, script=_TLS, title="Everything is red: lab certificates",
         cwd="/srv"),
    Talk(key="zfs", day=31, hour=16.0, script=_ZFS, title="New disk in the mirror"),
    Talk(key="wireguard", day=105, hour=20.6, script=_WIREGUARD, title="WireGuard on the phone"),
    Talk(key="grafana", day=71, hour=21.0, script=_GRAFANA, title="What the lab costs",
         source="desktop"),
    Talk(key="dns", day=55, hour=20.0, script=_DNS, title="Ads on the TV", archived=True),
    Talk(key="cheat", day=86, hour=12.5, script=_CHEAT, title="Cheat sheet for the fridge",
         source="webui", cwd=None),
    Talk(key="hass", day=125, hour=5.9, script=_HASS, title="Boiler on school days",
         cwd="/srv/hass"),
    Talk(key="pi", day=14, hour=18.8, script=_PI, title="Weather station in a container",
         cwd="/srv/pi", source="tui"),
)  # fmt: skip
