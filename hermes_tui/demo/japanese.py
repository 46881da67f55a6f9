"""The sample: Japanese conversations, a long one about configuration files among them."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_SETTINGS = r"""
> 設定ファイルが増えすぎました。YAML と TOML と .env が全部で四十個くらいあります。整理を手伝って
  ください。
? まず棚卸し。形式を揃える前に、誰が何を読んでいるかを知る。
< まず棚卸しをしましょう。どのファイルを誰が読むのか、一覧にします。
$ find /srv -name '*.yml' -o -name '*.yaml' -o -name '*.toml' -o -name '.env' | sort | head -12
| /srv/gitea/.env
| /srv/gitea/compose.yaml
| /srv/hass/configuration.yaml
| /srv/media/.env
| /srv/media/compose.yaml
| /srv/metrics/prometheus.yml
| /srv/shop/.env
| /srv/shop/config/app.toml
| /srv/shop/config/app.prod.toml
| /srv/traefik/compose.yaml
< 三種類に分けられます。秘密の値、環境ごとに変わる値、そして決して変わらない値です。今は混ざってい
  ます。
> 秘密は .env に入れてあります。これは正しいですか
< 場所としては悪くありませんが、git に入っていないか確認が必要です。
$ cd /srv && git ls-files | grep -c '\.env$'
| 2
< 二つ入っています。履歴にも残っているので、値そのものを替える必要があります。
> 本当だ…。どれですか
$ cd /srv && git ls-files | grep '\.env$'
| media/.env
| shop/.env
< shop/.env には支払いサービスの鍵があります。先に鍵を作り直して、それからファイルを外しましょう。
> 鍵は替えました。外す手順をお願いします
$ cd /srv && git rm --cached media/.env shop/.env && echo '.env' >> .gitignore && git commit -qm
  'Stop tracking env files'
| rm 'media/.env'
| rm 'shop/.env'
< 外れました。代わりに、鍵の名前だけを書いた見本ファイルを置きます。
! write_file {"path": "/srv/shop/.env.example", "content":
  "DATABASE_URL=\nPAYMENT_KEY=\nSMTP_PASSWORD=\n"}
| wrote 43 bytes
> app.toml と app.prod.toml の違いは何ですか。作った本人が忘れました
$ diff /srv/shop/config/app.toml /srv/shop/config/app.prod.toml
| 4c4
| < debug = true
| ---
| > debug = false
| 19c19
| < pool_size = 5
| ---
| > pool_size = 20
| 31,44d30
| < [mail]
| < backend = "console"
< 百行のうち違うのは四か所だけです。共通の設定ファイルを一つ置いて、環境ごとの差分だけを上に重ねる
  形にできます。
> 重ねる仕組みは自作ですか？
< 二十行で書けます。辞書を再帰的に重ねて、最後に環境変数で上書きします。順番が大事なので、文書にも
  書きましょう。
! write_file {"path": "/srv/shop/app/settings.py", "content": "def merge(base, over):\n    out =
  dict(base)\n    for key, value in over.items():\n        both = isinstance(value, dict) and
  isinstance(out.get(key), dict)\n        out[key] = merge(out[key], value) if both else
  value\n    return out\n"}
| wrote 236 bytes
$ cd /srv/shop && pytest -q tests/test_settings.py
= pytest 6 0 tests/test_settings.py
> リストはどうなりますか。置き換え？追加？
< 置き換えです。追加にすると、消す方法がなくなります。例外を作らないほうが後で助かります。
> なるほど。型のチェックも欲しいです。先月 "8080" と 8080 で一時間つぶしました
< それなら pydantic の設定クラスが合います。文字列でも数に直せるものは直し、直せないものは起動時に
  名前つきで知らせます。
! patch {"path": "/srv/shop/app/settings.py", "old": "def merge", "new": "class
  Server(BaseModel):\n    host: str = \"127.0.0.1\"\n    port: int = Field(8080, ge=1,
  le=65535)\n\n\ndef merge"}
| patched 1 place
$ cd /srv/shop && SERVER__PORT=abc python -m app
| \e[31m設定エラー\e[0m server.port: 整数ではありません ('abc'、環境変数 SERVER__PORT)
< どこから来た値かも出るので、探す時間が減ります。
> 素晴らしい。次は Home Assistant の configuration.yaml、千行あります
< 分割しましょう。`!include_dir_merge_named` を使うと、部屋ごとのファイルにできます。
! read_file {"path": "/srv/hass/configuration.yaml", "limit": 12}
| homeassistant:
|   name: 家
|   time_zone: Europe/Berlin
| automation:
|   - alias: 夜の照明
|     trigger:
|       platform: sun
|       event: sunset
< automation が六百行を占めています。これを automations フォルダに移します。
$ cd /srv/hass && python split.py configuration.yaml automations/ && ls automations
| boiler.yaml
| hallway.yaml
| night.yaml
| windows.yaml
$ docker exec hass hass --script check_config -c /config
| Testing configuration at /config
| \e[32m設定に問題はありません\e[0m
> コメントが消えていませんか？
< 消えています。標準の yaml ライブラリはコメントを捨てます。ruamel.yaml なら残せるので、やり直しま
  す。
$ cd /srv/hass && git checkout configuration.yaml && python split.py --keep-comments
  configuration.yaml automations/ && grep -c '#' automations/*.yaml
| automations/boiler.yaml:11
| automations/hallway.yaml:4
| automations/night.yaml:9
| automations/windows.yaml:2
> 戻りました。ノルウェー問題はありますか（no が false になるやつ）
$ grep -rnwE 'no|yes|on|off' /srv/hass/automations --include=*.yaml | head -4
| automations/night.yaml:14:    to: off
| automations/night.yaml:22:    state: on
| automations/windows.yaml:8:    country: no
< 三か所あります。off と on は Home Assistant が文字列に直してくれますが、country: no は false に
  なります。引用符で囲みましょう。
> やっぱりありましたか…直してください
! patch {"path": "/srv/hass/automations/windows.yaml", "old": "country: no", "new": "country:
  \"no\""}
| patched 1 place
< 直しました。yamllint の truthy 規則を入れておけば、次は自動で見つかります。
> CI に入れましょう。gitea の Actions でいいですか
! write_file {"path": "/srv/.gitea/workflows/lint.yaml", "content": "name: lint\non:
  [push]\njobs:\n  yaml:\n    runs-on: docker\n    steps:\n      - uses:
  actions/checkout@v4\n      - run: pip install yamllint && yamllint -s .\n"}
| wrote 158 bytes
$ cd /srv && git add -A && git commit -qm 'Lint configuration' && git push 2>&1 | tail -1
|    1c0ffee..9ab31f2  main -> main
> 赤くなりました
! web_extract {"url": "https://git.lab/mara/srv/actions/runs/12"}
| yamllint -s .
| ./metrics/prometheus.yml:18:81 error line too long (112 > 80 characters) (line-length)
| ./traefik/compose.yaml:9:3 error wrong indentation: expected 6 but found 4 (indentation)
< 行の長さは規則のほうを緩め、字下げは直します。どちらも中身には影響しません。
$ cd /srv && printf 'extends: default\nrules:\n  line-length: {max: 140}\n' > .yamllint && git
  commit -qam 'Allow longer lines' && git push -q
|
> 緑になりました 🎉
> 秘密の値は結局どこに置くのが一番ですか。.env のまま？
< 一台なら .env で十分です。二台になったので、sops と age で暗号化して git に入れる方法を勧めま
  す。変更の履歴が残り、復元も簡単です。
> age の鍵をなくしたら？
< 全部読めなくなります。鍵を二つ登録して、片方は紙に印刷して金庫に入れてください。
$ age-keygen -o ~/.config/sops/age/keys.txt
| Public key: age1q0w9x7m3t2l5v8c4n6b1z
$ cd /srv && sops --encrypt --in-place shop/secrets.yaml && head -3 shop/secrets.yaml
| database_url: ENC[AES256_GCM,data:8fK2,iv:Qm0=,tag:x1Y=,type:str]
| payment_key: ENC[AES256_GCM,data:91bZ,iv:aa0=,tag:0pQ=,type:str]
| sops:
< 暗号化できました。差分を見るときは `git diff` に sops を通す設定もできます。
> compose からはどう読みますか
< 起動の前に `sops exec-env` で環境変数にします。平文のファイルは作りません。
$ sops exec-env shop/secrets.yaml 'docker compose -f shop/compose.yaml up -d'
| [+] Running 4/4
|  \e[32m✔\e[0m Container shop-app-1  Started
> 完璧です。最後に、設定ファイルの一覧を表にしてください
< | 場所 | 形式 | 読む人 | 秘密 |
+ |---|---|---|---|
+ | shop/config/app.toml | TOML | app | なし |
+ | shop/secrets.yaml | YAML + sops | app, worker | あり |
+ | hass/automations/ | YAML | hass | なし |
+ | metrics/prometheus.yml | YAML | prometheus | なし |
+ | traefik/compose.yaml | YAML | docker | なし |
> README に貼りました。ありがとうございました
< お疲れさまでした。四十個が二十六個になり、git の中の秘密はゼロになりました。
> 追伸：.env.example と本物がずれていないか調べる方法は？
< 名前だけを比べれば十分です。
$ diff <(cut -d= -f1 shop/.env.example | sort) <(cut -d= -f1 shop/.env | sort)
| 3a4
| > SENTRY_DSN
> SENTRY_DSN が抜けていました。CI に足します
< その一行をそのまま CI に置けます。次に誰かが鍵を足しても気づけます。
"""

_NAS = r"""
> NAS のバックアップが三日前から失敗しています
$ journalctl -u restic-nas --since '3 days ago' | tail -3
| 6月 12 03:00:04 lab1 restic[2214]: unable to create lock in backend: repository is already
  locked
| 6月 12 03:00:04 lab1 restic[2214]: the unlock command can be used to remove stale locks
< 古いロックが残っています。前回の途中で電源が落ちたようです。他に動いている restic がないことを確
  かめてから外します。
$ pgrep -a restic; restic -r sftp:lab2:/backup unlock
| successfully removed 1 locks
$ restic -r sftp:lab2:/backup backup /srv /home
= restic /srv
> 動きました。失敗したら知らせてほしいです
< systemd の OnFailure に通知のサービスを付けましょう。三日も気づかないことはなくなります。
> 付けました。わざと失敗させたら通知が来ました
"""

_KYOTO = r"""
> 十一月の京都、三日間。紅葉は見たいけれど人混みは苦手です
< 朝の七時に動くのがこつです。一日目は早朝の南禅寺と永観堂の外側、昼は宿で休んで夕方に法然院。二日
  目は大原か高雄、三日目は府立植物園と鴨川の散歩でどうでしょう。
> 高雄がいいですね。バスは混みますか
! web_search {"query": "高雄 神護寺 紅葉 JRバス 時刻 平日"}
| 1. 京都駅 → 山城高雄 50分、平日朝は30分間隔
| 2. 見ごろ 11月上旬〜中旬（市内より一週間早い）
< 市内より一週間早く色づくので、上旬なら高雄が一番です。平日の始発なら座れます。
> では上旬にします。宿は予約済みです
"""

_GRAMMAR = r"""
> 「設定する」と「設置する」はどう違いますか。いつも迷います
< 「設定」は値や条件を決めること、「設置」は物を場所に置くことです。ルーターを棚に設置して、それか
  ら設定します。
> では「構成」は？
< 部品の組み合わせ方です。`docker-compose.yml` は構成ファイル、その中の数字を変えるのは設定の変更
  です。
> わかりやすいです。翻訳に使います
"""

TALKS = (
    Talk(
        key="ja-settings", day=26, hour=9.7, script=_SETTINGS, title="設定ファイルの整理",
        source="desktop", cwd="/srv", model="gpt-5.1-codex", end=None,
    ),
    Talk(key="ja-nas", day=17, hour=6.9, script=_NAS, title="NAS のバックアップ", cwd="/srv"),
    Talk(
        key="ja-kyoto", day=58, hour=19.3, script=_KYOTO, title="京都の紅葉", source="telegram",
        cwd=None, end="idle_timeout",
    ),
    Talk(key="ja-grammar", day=144, hour=17.2, script=_GRAMMAR, source="webui", cwd=None),
)  # fmt: skip
