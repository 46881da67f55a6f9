"""The sample: Chinese conversations, a long one about database connections among them."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_POOL = r"""
> 线上的服务今天早上报错：数据库连接用尽了。帮我看看是怎么回事。
? 先看连接数，再看谁占着不放。
< 先看一下现在有多少连接，都在做什么。
$ psql -h db17 shop -c "select state, count(*) from pg_stat_activity group by 1"
|         state         | count
| ----------------------+-------
|  idle                 |    31
|  idle in transaction  |    58
|  active               |     4
< 有 58 个连接停在 idle in transaction，也就是事务开了没有关。真正在干活的只有 4 个。
> 最大连接数是多少？
$ psql -h db17 shop -c "show max_connections"
|  max_connections
| -----------------
|  100
< 一百个，还有三个留给超级用户。现在用了九十三个，所以新的请求排不上队。
> 那先把它调到 500 行不行？
< 能救急，但治不了病。每个连接是一个进程，五百个进程只会让锁等待更久。先找出是谁开了事务不提交。
$ psql -h db17 shop -c "select application_name, count(*), max(now() - xact_start) from
  pg_stat_activity where state like 'idle in%' group by 1"
|  application_name | count |       max
| ------------------+-------+-----------------
|  order-worker     |    55 | 02:14:09.118
|  report           |     3 | 00:00:41.002
< 几乎全是 order-worker，最久的一个事务已经开了两个多小时。
> 这个 worker 是上周小林改的，加了一个调用支付网关的步骤
< 那原因大概清楚了：在事务里面调用外部接口。网关慢，事务就一直开着，数据库连接也一直被占着。
! read_file {"path": "/srv/shop/worker/orders.py", "offset": 40, "limit": 20}
| with engine.begin() as conn:
|     order = load_order(conn, order_id, for_update=True)
|     receipt = gateway.capture(order.payment_ref)   # HTTP, 没有超时
|     conn.execute(update_order, status="paid", receipt=receipt)
< 找到了。`gateway.capture` 没有设超时，又在 `engine.begin()` 里面，还带着行锁。
> 怎么改比较好？
< 分成三步：先在短事务里把订单标成“处理中”，提交；然后在事务外面调用网关，加五秒超时；最后再开一个
  短事务写结果。
> 那如果写结果的时候程序挂了呢？
< 订单会停在“处理中”。加一个定时任务，把超过十分钟的“处理中”订单拿去问网关真实状态。网关的接口要用
  幂等键，重复问不会重复扣款。
! patch {"path": "/srv/shop/worker/orders.py", "old": "receipt =
  gateway.capture(order.payment_ref)", "new": "receipt = gateway.capture(order.payment_ref,
  idempotency_key=str(order.id), timeout=5)"}
| patched 1 place
< 超时和幂等键先加上了，这一步马上就能上线。拆分事务是下一步。
> 先上线这个。现在的 58 个连接怎么办？
< 可以结束掉超过五分钟的那些，事务会回滚，订单会重试。
$ psql -h db17 shop -c "select count(pg_terminate_backend(pid)) from pg_stat_activity where state
  = 'idle in transaction' and now() - xact_start > '5 min'"
|  count
| -------
|     52
> 网站恢复了，谢谢！
< 不客气。再加一道保险：`idle_in_transaction_session_timeout = 60s`，以后数据库自己会收拾这种连
  接。
$ psql -h db17 -c "alter system set idle_in_transaction_session_timeout = '60s'" -c "select
  pg_reload_conf()"
| ALTER SYSTEM
|  pg_reload_conf
| ----------------
|  t
> 现在来看连接池吧，我一直没搞明白应该设多大
< 常用的经验是：核数乘以二，再加上磁盘数。你的机器八核一块固态盘，所以数据库同时真正能跑的大概十七
  个。
> 才十七个？我们有六个服务，每个的池都设成了 20
< 六乘二十是一百二十，已经超过上限了。所以即使没有这个事故，早晚也会用尽。
> 那每个服务设 3 个？
< 太死板：有的服务忙，有的闲。更好的办法是中间放一个 pgbouncer，用事务级的池，应用那边随便开，后面
  只有二十个真连接。
$ grep -v '^;' /etc/pgbouncer/pgbouncer.ini
| [databases]
| shop = host=db17 dbname=shop
| [pgbouncer]
| pool_mode = session
| default_pool_size = 20
< 你已经有 pgbouncer 了，只是 `pool_mode = session`，等于没有用：客户端不断开，连接就不还。
> 改成 transaction 会有什么问题吗？
< 有三样东西在事务级池里不能用：会话级的 SET、LISTEN/NOTIFY、以及没有命名支持的预编译语句。1.21 以
  后预编译语句可以了，要设 max_prepared_statements。
$ pgbouncer --version
| PgBouncer 1.23.1
$ grep -rn "LISTEN\|SET search_path\|advisory_lock" /srv/shop --include=*.py
| /srv/shop/worker/notify.py:12:    conn.execute("LISTEN new_order")
| /srv/shop/app/tenant.py:31:    conn.execute("SET search_path TO shop, public")
< 两处。notify.py 要绕过池直接连数据库；tenant.py 的 search_path 可以写进角色的默认值里。
> search_path 那个我来改。notify 的直连怎么写？
< 单独给它一个连接串，指向 db17 的 5432，不走 6432。它只需要一个连接。
! write_file {"path": "/srv/shop/config/notify.env", "content":
  "DATABASE_URL=postgres://notify@db17:5432/shop?application_name=notify\n"}
| wrote 70 bytes
$ sudo sed -i 's/pool_mode = session/pool_mode = transaction/' /etc/pgbouncer/pgbouncer.ini &&
  sudo systemctl reload pgbouncer
|
> 重载会断开现有的用户吗？
< 不会，已有的连接等当前事务结束后才换成新的模式。
$ psql -p 6432 pgbouncer -c "show pools"
|  database | user | cl_active | cl_waiting | sv_active | sv_idle | pool_mode
| ----------+------+-----------+------------+-----------+---------+-------------
|  shop     | app  |        44 |          0 |         6 |      11 | transaction
< 四十四个客户端，后面只用了六个真连接在干活。等待的是零。
> 太好了。应用里的池子（SQLAlchemy）还要吗？
< 留一个小的就行，池大小五，溢出五。要打开 pool_pre_ping，这样 pgbouncer 重启后不会拿到坏连接。
! patch {"path": "/srv/shop/app/db.py", "old": "pool_size=20", "new": "pool_size=5,
  max_overflow=5, pool_pre_ping=True, pool_recycle=1800"}
| patched 1 place
$ cd /srv/shop && pytest -q tests/test_db.py
= pytest 38 1 tests/test_db.py::test_temp_table_survives
> 有一个失败了，临时表的
< 这个测试建了临时表，下一个语句再去读。事务级的池里，两个语句可能落到两个不同的连接上。把它们放进
  同一个事务就好。
$ cd /srv/shop && pytest -q tests/test_db.py
= pytest 39 0 tests/test_db.py
> 过了。再帮我压测一下？
$ pgbench -h localhost -p 6432 -c 80 -j 4 -T 20 -S shop
| scaling factor: 1
| number of clients: 80
| latency average = 3.912 ms
| tps = 20449.871902 (without initial connection time)
< 八十个客户端，平均不到四毫秒。和直连一百个连接比呢？
$ pgbench -h db17 -p 5432 -c 80 -j 4 -T 20 -S shop
| number of clients: 80
| latency average = 5.408 ms
| tps = 14792.110034 (without initial connection time)
< 直连反而慢三成，因为八十个进程互相抢八个核。
> 这个结果我要拿去给小林看，哈哈
> 还有监控。怎么提前知道数据库连接快用完了？
< 看三个数：pgbouncer 的 cl_waiting 大于零超过一分钟、idle in transaction 的数量、最久事务的时间。
  三个都放进 Grafana。
! write_file {"path": "/srv/metrics/rules/postgres.yml", "content": "groups:\n- name:
  postgres\n  rules:\n  - alert: 连接排队\n    expr: pgbouncer_pools_client_waiting > 0\n    for:
  1m\n  - alert: 长事务\n    expr: pg_stat_activity_max_tx_duration > 120\n    for: 1m\n"}
| wrote 214 bytes
$ curl -s -XPOST localhost:9090/-/reload && curl -s localhost:9090/api/v1/rules | jq
  '.data.groups[].rules[].name'
| "连接排队"
| "长事务"
> 报警名字用中文没问题吗？
< Prometheus 没问题，Grafana 和 Telegram 也没问题。只有短信网关可能变成问号。
> 我们不用短信。测试一下报警
$ psql -h db17 shop -c "begin; select pg_sleep(150)"
| BEGIN
< 等两分钟多一点，应该就会响。
> 响了！Telegram 收到“长事务”
< 很好，这条链路是通的。
> 顺便问一下，读写分离现在要不要做？
< 现在不需要。你的读请求百分之九十可以在主库上几毫秒做完，加一个从库会带来延迟和一致性的问题。等
  CPU 长期过六成再说。
> 好的。那慢查询呢，哪些最占连接？
$ psql -h db17 shop -c "select calls, round(total_exec_time) as total, left(query, 44) from
  pg_stat_statements order by 2 desc limit 3"
|  calls  |  total  | left
| --------+---------+----------------------------------------------
|   90214 | 4410021 | select o.* from orders o where o.status = $1
|    1204 |  980113 | select p.*, s.qty from products p join stock
|  880120 |  310220 | update carts set touched_at = $1 where id =
< 第一条占了一大半。status 上没有索引，每次全表扫描。不过不要给整列建索引，九成以上都是 paid，建一
  个部分索引就行。
$ psql -h db17 shop -c "create index concurrently orders_open on orders (created_at) where status
  not in ('paid','cancelled','canceled')"
| CREATE INDEX
$ psql -h db17 shop -c "explain analyze select o.* from orders o where o.status = 'processing'"
= explain orders
> 它好像没用这个索引？
< 因为条件写的是 status = 'processing'，规划器要能推出它满足索引的条件。查询里加上同样的 not in，
  或者把索引改成 where status = 'processing'。
> 改成后者
$ psql -h db17 shop -c "create index concurrently orders_processing on orders (created_at) where
  status = 'processing'" -c "drop index concurrently orders_open"
| CREATE INDEX
| DROP INDEX
$ psql -h db17 shop -c "explain analyze select o.* from orders o where o.status = 'processing'
  order by created_at"
| Index Scan using orders_processing on orders o  (cost=0.28..41.12 rows=212 width=188)
| Planning Time: 0.211 ms
| Execution Time: 0.604 ms
< 从四十九毫秒到零点六毫秒，占用连接的时间也就少了八十倍。
> 厉害。worker 的三步拆分，你能写一个草稿吗？
! write_file {"path": "/srv/shop/worker/orders_new.py", "content": "def pay(order_id):\n    with
  engine.begin() as conn:\n        order = claim(conn, order_id)        # 短事务一\n    receipt =
  gateway.capture(order.payment_ref, idempotency_key=str(order.id), timeout=5)\n    with
  engine.begin() as conn:\n        settle(conn, order_id, receipt)      # 短事务二\n"}
| wrote 302 bytes
< 草稿写好了。`claim` 用 `update ... where status = 'new' returning`，这样两个 worker 不会抢到同一
  个订单。
> 如果网关超时但其实扣款成功了？
< 所以超时的时候不要标成失败，要留在“处理中”，让定时任务去问网关。只有网关明确说失败，才能标失败。
> 懂了。测试怎么写这种情况？
< 用一个假网关：第一次调用记下扣款，然后抛超时；第二次用同一个幂等键返回原来的收据。断言最后只扣了
  一次。
$ cd /srv/shop && pytest -q tests/test_pay.py
= pytest 9 0 tests/test_pay.py
> 全过。上线计划：先灰度一个 worker？
< 对，一个新 worker 和四个旧的一起跑一个小时，看长事务的曲线。旧的和新的都用 for update 或者条件更
  新，不会互相打架。
$ docker compose -f /srv/shop/compose.yaml up -d --scale worker-new=1 && docker compose -f
  /srv/shop/compose.yaml ps
= ps worker worker-new pgbouncer app
> 一个小时后：长事务最大 0.3 秒
< 之前是两个小时。可以全部换掉了。
$ docker compose -f /srv/shop/compose.yaml up -d --scale worker-new=5 --scale worker=0
| [+] Running 6/6
|  \e[32m✔\e[0m Container shop-worker-new-5  Started
> 写个事故总结吧，五句话
< 一、支付网关变慢，worker 在事务里等它，数据库连接被占满。二、九点十二分用户开始报错，九点四十恢
  复。三、直接处理：结束长事务，给调用加超时。四、根本处理：拆成三步，连接池改成事务级，加部分索
  引。五、以后：两条报警，代码评审时禁止在事务里调用外部接口。
> 完美，发出去了
> 小林问：为什么不干脆每个请求开一个新连接？
< 因为建立一个连接要握手、认证、起一个进程，大约二十毫秒，比查询本身还贵。池的意义就是把这二十毫秒
  省下来。
$ pgbench -h db17 -p 5432 -c 20 -C -T 10 -S shop
| number of clients: 20
| average connection time = 18.204 ms
| tps = 911.300187 (including reconnection times)
> 每秒九百对两万，我截图给他了
> 周五补充：今天高峰期，cl_waiting 一直是 0 👍
< 那这件事可以关了。下一个瓶颈应该是磁盘，不过那是以后的事。
"""

_BRIDGE = r"""
> 两个容器不在同一个网络里，怎么互相访问？我想弄懂容器网络。
< 三种办法：让它们加入同一个自定义网络；通过宿主机发布的端口；或者共享一个网络命名空间。一般用第一
  种。
$ docker network create lab && docker network connect lab web && docker network connect lab api
| 41f0b0a3c9be
$ docker exec web ping -c4 api
= ping api
> 通了！为什么默认的 bridge 不能用名字？
< 默认的 bridge 是历史遗留，没有内置的 DNS。自定义的网络才有 127.0.0.11 这个解析器。
> 那 overlay 呢
< 跨主机用的，底层是 VXLAN。单机用不到。
$ docker network inspect lab --format '{{json .Containers}}'
| {"web": {"IPv4Address": "10.210.7.2/24"}, "api": {"IPv4Address": "10.210.7.3/24"}}
> 宿主机访问容器地址可以吗
< 在 Linux 上可以直接访问 10.210.7.3；在 macOS 上不行，因为 Docker 跑在虚拟机里。容器网络的地址每
  次重建都会变，最好还是用名字。
> 明白了，谢谢
"""

_PORK = r"""
> 红烧肉怎么做才不腻？我妈的做法是先炒糖色
< 先焯水去血沫，再用小火把五花肉煸出油，倒掉多余的油，然后炒糖色。少放糖，多放一点黄酒和姜。
> 冰糖还是白糖？
< 冰糖颜色更亮。半斤肉放十五克左右就够了，炒到枣红色马上下肉，慢一点就苦了。
> 炖多久
< 小火一个小时，最后十分钟大火收汁。用砂锅更好，水要一次加够，中途不要加冷水。
> 成功了！颜色像照片里一样
% 一锅红烧肉的照片
< 颜色很漂亮，收汁也正好。下次可以加几个鹌鹑蛋，和肉一起炖。
"""

_TRIP = r"""
> 五月想去桂林，四天，带父母，不要太累。帮我排一下。
< 第一天到桂林，晚上看日月双塔。第二天坐船游漓江到阳朔，四个小时，船上可以坐着看。第三天遇龙河竹
  筏，下午休息。第四天上午龙脊梯田只适合体力好的，不然就在阳朔喝茶，下午回。
> 父母膝盖不好，梯田不去了
< 那第四天改成银子岩，里面是平路，有灯光，两个小时。
! web_search {"query": "漓江 游船 杨堤 兴坪 时间 票价 五月"}
| 1. 磨盘山码头 9:30 发船，约 4 小时到阳朔，三星船 215 元
| 2. 五月是雨季，水量大，可能停航，前一天晚上看通知
< 五月是雨季，游船可能临时停航，最好把漓江放在第二天，第三天留作备用。
> 好主意。酒店住哪边？
< 阳朔住遇龙河边，安静；不要住西街，晚上很吵，父母睡不好。
> 订好了。谢谢，广西见！
"""

_ENCODING = r"""
> 读一个旧的 CSV，中文全是乱码：��Ʒ����。怎么办
< 这是 GBK 编码的文件按 UTF-8 读了。用 `encoding="gb18030"` 打开，它包含 GBK，也能读生僻字。
$ file -i 商品.csv && iconv -f gb18030 -t utf-8 商品.csv | head -3
| 商品.csv: text/plain; charset=iso-8859-1
| 商品名称,价格,库存
| 青花瓷茶杯,58.00,120
> 好了。Excel 打开又乱了？
< Excel 要看到 BOM 才认 UTF-8。导出时用 `utf-8-sig`。
> 原来如此，这个坑我踩了十年
"""

TALKS = (
    Talk(
        key="zh-pool", day=47, hour=1.4, script=_POOL, title="数据库连接用尽的事故",
        cwd="/srv/shop", model="deepseek-v3.2",
    ),
    Talk(key="zh-bridge", day=133, hour=12.2, script=_BRIDGE, title="容器网络入门", source="tui"),
    Talk(
        key="zh-pork", day=121, hour=10.1, script=_PORK, title="红烧肉", source="telegram",
        cwd=None, end=None,
    ),
    Talk(
        key="zh-trip", day=75, hour=13.0, script=_TRIP, title="桂林四天", source="telegram",
        cwd=None, end="session_reset",
    ),
    Talk(key="zh-encoding", day=19, hour=6.3, script=_ENCODING, title=None, model="qwen3-coder"),
)  # fmt: skip
