"""The sample: Korean conversations."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_BACKUP = r"""
> 데이터 백업을 제대로 하고 싶어요. 지금은 외장 하드에 가끔 복사하는 게 전부예요
? 3-2-1 원칙부터. 무엇이 얼마나 중요한지 먼저 묻는다.
< 먼저 무엇을 지켜야 하는지 정하죠. 다시 만들 수 없는 것(사진, 문서, 데이터베이스)과 다시 받을 수
  있는 것(영화, 이미지)을 나눕니다.
$ du -sh /home/mara/* /srv/* 2>/dev/null | sort -rh | head -6
| 1.9T	/srv/media
| 412G	/home/mara/사진
| 61G	/srv/shop
| 18G	/srv/gitea
| 9.2G	/home/mara/문서
| 2.1G	/srv/hass
< 영화 1.9 TB는 빼고, 나머지 약 500 GB가 대상입니다. 3-2-1 원칙으로 하면 사본 셋, 매체 둘, 하나는
  집 밖입니다.
> 집 밖은 어디가 좋을까요? 클라우드는 비싸지 않나요
< 500 GB면 오브젝트 스토리지로 한 달에 삼천 원쯤입니다. 아니면 부모님 댁에 작은 기계를 두고 밤에
  보내는 방법도 있어요.
> 부모님 댁에 라즈베리 파이가 있어요! 인터넷은 100메가
< 첫 번째 데이터 백업만 집에서 하고 디스크를 들고 가세요. 그다음부터는 바뀐 것만 보내니까 밤에 한
  시간이면 됩니다.
$ restic -r /mnt/usb/backup init
| created restic repository 5f1d0a77b2 at /mnt/usb/backup
| Please note that knowledge of your password is required to access the repository.
$ restic -r /mnt/usb/backup backup /home/mara /srv --exclude /srv/media
= restic /home/mara
> 비밀번호를 잊으면 어떻게 되나요
< 복구할 수 없습니다. 종이에 적어서 두 곳에 두세요. 키를 하나 더 만들어 가족에게 맡기는 것도
  좋습니다.
> 데이터베이스도 그냥 파일로 복사하면 되나요?
< 안 됩니다. 복사하는 동안 파일이 바뀌어서 복구할 때 깨질 수 있어요. pg_dump로 먼저 덤프하고 그
  파일을 백업하세요.
! write_file {"path": "/srv/backup/pre.sh", "content": "#!/bin/sh\nset -e\npg_dump -h db17 -Fc
  shop > /srv/backup/shop.dump\nsqlite3 /srv/hass/home-assistant_v2.db \".backup
  /srv/backup/hass.db\"\n"}
| wrote 146 bytes
$ sh /srv/backup/pre.sh && ls -lh /srv/backup
| -rw-r--r-- 1 mara mara 1.8G hass.db
| -rw-r--r-- 1 mara mara  38G shop.dump
< SQLite는 `.backup` 명령이 안전합니다. 파일을 그냥 복사하면 WAL에 있는 내용이 빠져요.
> 오래된 백업은 언제 지우죠?
< 매일 7개, 매주 4개, 매달 12개를 남기면 충분합니다.
$ restic -r /mnt/usb/backup forget --keep-daily 7 --keep-weekly 4 --keep-monthly 12 --prune
  --dry-run
| keep 9 snapshots, remove 14 snapshots
| would delete 88.1 GiB
> 자동으로 돌게 해 주세요
! write_file {"path": "/etc/systemd/system/backup.timer", "content": "[Timer]\nOnCalendar=*-*-*
  03:10\nRandomizedDelaySec=600\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"}
| wrote 104 bytes
$ sudo systemctl enable --now backup.timer && systemctl list-timers backup.timer
| NEXT                         LEFT      UNIT
| Thu 2026-04-09 03:14:22 CEST 5h left   backup.timer
< `Persistent=true`라서 꺼져 있던 날은 켜질 때 바로 실행합니다.
> 복구가 되는지 어떻게 확인하나요
< 실제로 복구해 봐야 압니다. 한 달에 한 번, 파일 열 개를 무작위로 골라서 비교하죠.
$ restic -r /mnt/usb/backup restore latest --target /tmp/test --include /home/mara/문서 && diff -r
  /tmp/test/home/mara/문서 /home/mara/문서 && echo 같음
| restoring snapshot 7c0e1d42 to /tmp/test
| 같음
> 같다고 나오네요. 안심입니다
< 데이터 백업은 복구해 본 것만 백업입니다. 달력에 넣어 두세요.
> 부모님 댁 파이에 연결됐어요. 속도가 2MB/s밖에 안 나와요
$ ssh pi 'ethtool eth0 | grep Speed; lsusb -t | head -3'
| 	Speed: 100Mb/s
| /:  Bus 01.Port 1: Dev 1, Class=root_hub, Driver=dwc_otg/1p, 480M
< 파이 3은 USB와 랜이 같은 버스를 씁니다. 게다가 sftp 암호화가 CPU를 다 써요. rest-server를 쓰면
  훨씬 빨라집니다.
$ ssh pi 'docker run -d --name rest -p 8000:8000 -v /mnt/disk:/data restic/rest-server'
| 6f0b9be0c11d
$ restic -r rest:http://pi:8000/mara backup /home/mara/문서
= restic /home/mara/문서
> 9MB/s! 밤에 충분하겠어요. 고마워요
"""

_NETWORK = r"""
> 쿠버네티스랑 도커의 컨테이너 네트워크가 어떻게 다른지 쉽게 설명해 줘
< 도커는 한 대 안에서 브리지 하나를 나눠 쓰고, 밖으로 나갈 때 주소를 바꿉니다(NAT). 쿠버네티스는
  모든 파드가 자기 주소를 갖고, 어느 노드에서든 NAT 없이 서로 부릅니다.
> 그럼 서비스 주소는 뭐야
< 가상의 주소예요. kube-proxy가 그 주소로 오는 패킷을 파드 하나로 보냅니다. 도커의 내장 DNS가
  이름을 주소로 바꿔 주는 것과 비슷하지만, 파드가 바뀌어도 주소는 그대로입니다.
$ kubectl get svc,pods -o wide
| NAME          TYPE        CLUSTER-IP     PORT(S)
| service/web   ClusterIP   10.43.12.7     80/TCP
| NAME          READY   STATUS    IP           NODE
| pod/web-0     1/1     Running   10.42.1.19   lab2
> 왜 ping이 안 돼? 10.43.12.7
< 서비스 주소는 규칙에만 있고 인터페이스가 없어서 ping에 답하지 않아요. curl은 됩니다.
$ curl -sI http://10.43.12.7
= curl 200 http://10.43.12.7
> 아하, 이제 알겠다
"""

_KIMCHI = r"""
> 배추 두 포기로 김치를 담그려는데 절이는 시간이 헷갈려
< 굵은소금으로 겨울에는 여덟 시간, 여름에는 다섯 시간입니다. 줄기를 접었을 때 부러지지 않고 휘면
  다 절여진 거예요.
> 풀은 꼭 쑤어야 해?
< 찹쌀풀이 있으면 양념이 잘 붙고 발효가 부드럽습니다. 없으면 밥 두 숟갈을 갈아 넣어도 돼요.
> 사흘 지났는데 이 상태면 냉장고에 넣을까?
% 김치 통 사진, 국물에 기포가 보임
< 기포가 올라오고 신 냄새가 살짝 나면 지금이 딱 좋아요. 국물에 잠기게 눌러서 넣으세요.
"""

_LETTER = r"""
> 옛 동료에게 보낼 메일을 다듬어 줘. 너무 딱딱하지 않게
< 이렇게 어떨까요: "오랜만이에요. 얼마 전에 옛날 프로젝트 위키를 보다가 생각이 났습니다. 잘
  지내시죠? 시간 되실 때 커피 한잔해요."
> 좋다. 마지막 문장만 조금 더 구체적으로
< "다음 주 목요일 저녁에 시내에 가는데, 괜찮으시면 커피 한잔해요."
> 보냈어. 바로 답장 왔다
"""

TALKS = (
    Talk(
        key="ko-backup", day=83, hour=19.8, script=_BACKUP, title="데이터 백업 계획",
        model="qwen3-coder", cwd="/srv",
    ),
    Talk(
        key="ko-network", day=62, hour=13.4, script=_NETWORK, title="컨테이너 네트워크 비교",
        source="discord", cwd=None, end="session_reset",
    ),
    Talk(key="ko-kimchi", day=149, hour=9.9, script=_KIMCHI, source="telegram", cwd=None),
    Talk(key="ko-letter", day=37, hour=16.1, script=_LETTER, source="webui", cwd=None),
)  # fmt: skip
