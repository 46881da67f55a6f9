"""The sample: one never-ending Telegram chat, compacted in place twice."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_CHAT = r"""
> morning! what's the weather in Leipzig
! weather {"place": "Leipzig", "days": 1}
| 14 °C, light rain until 11, then clear, wind W 3
< 14 degrees, light rain until eleven, dry after that. Take the light jacket.
> remind me to call the dentist at 10
! reminder {"at": "10:00", "text": "call the dentist"}
| ok
< I will.
> shopping list: oat milk, lemons, dish soap
< Added. The list is now: oat milk, lemons, dish soap, and the batteries from Sunday.
> also cinnamon
< Added.
~ wait 9
> what did the dentist number end with, I have a missed call
< 4417. That was them.
> dinner idea, 20 min, there are leeks
< Leek carbonara: leeks soft in butter, egg and pecorino off the heat, a lot of pepper. 20 minutes
  with the pasta.
> 10/10
~ wait 15
> how do you say "the kettle is descaled" in Danish, asking for a friend
< "Kedlen er afkalket." Your friend has interesting conversations.
> how old is the universe in dog years
< 13.8 billion times seven is 96.6 billion dog years. A good dog.
> add "fix gutter" to the house list, not shopping
< House list: fix gutter, repaint the cellar door, find out why the hallway light flickers.
> the hallway light: hass says voltage dips when the heat pump starts
< Then it is not the bulb. The heat pump's inrush dips the phase; put the hallway on another
  phase, or ask the installer about a soft starter.
> asked, it has one, it was disabled!!
< Mystery solved. I struck it off the list.
~ wait 30
> do I have anything on Thursday
! calendar {"from": "Thursday", "days": 1}
| 09:30 stand-up; 13:00 lunch with Ines; 18:00 parents' evening
< Stand-up at 9:30, lunch with Ines at one, parents' evening at six.
> move the lunch to 12:30
! calendar {"move": "lunch with Ines", "to": "12:30"}
| moved
< Moved, and I told Ines's calendar.
> what was the book Ines recommended last time?
< "The Dictionary of Lost Words". You said you would read it on the train.
> on the train now. reading it!
< Enjoy. Your stop is in 41 minutes.
> on this train wifi my laptop can't reach containers, docker networking clash?
< Likely: the train's captive network uses 172.18.0.0/16, which is also one of Docker's default
  ranges. `docker network prune` on the laptop, or set default-address-pools to something quieter
  such as 10.212.0.0/16.
> prune did it. of course it's docker networking, it's always docker networking
< Next time it will not be, with the pool pinned. I put the line for daemon.json on your laptop
  list.
> 🙏
~ compact [CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. Lists: shopping (oat
  milk, lemons, dish soap, cinnamon, batteries), house (fix gutter, repaint the cellar door),
  laptop (pin the address pool in daemon.json). Ines: lunch Thursdays, recommended The Dictionary
  of Lost Words.
~ wait 20
> shopping list please
< Oat milk, lemons, dish soap, cinnamon, batteries.
> got all but batteries, which kind?
< The smoke detector wants one 9 V block; the remote wants two AAA.
> done, clear the list
< Cleared.
> tell me something I don't know
< The Greek island of Ikaria switched to its own time of day: shops open when the owner wakes up.
  Your Naxos timetable is stricter.
> ha, adding Ikaria for 2027
~ wait 12
> translate for the neighbour: please don't park in front of the gate on Tuesdays, the bin lorry
< "Bitte dienstags nicht vor dem Tor parken, da kommt die Müllabfuhr. Danke!"
> he speaks Portuguese actually
< "Por favor, não estacione em frente ao portão às terças-feiras, passa o camião do lixo.
  Obrigada!"
> he laughed and moved the car. muito bem
> how much is 365 g water at 73%, backwards: which flour
< 500 g of flour.
> convert 4 cups of flour for my american bread book
< About 500 g, at 125 g a cup. Spooned and levelled; scooped cups hold up to 150.
> that explains the brick
~ wait 40
> parcel tracking: where is the ESP32
! parcel {"carrier": "dhl", "number": "0034 0434"}
| in delivery, expected 11:00-13:00
< In delivery, between eleven and one.
> I won't be home, ask them to leave it with the neighbour
! parcel {"carrier": "dhl", "number": "0034 0434", "instruct": "neighbour"}
| instruction accepted
< Accepted. The neighbour knows about gates now, he will cope with parcels.
> lol
> set a timer 12 minutes, eggs? no, rice
< 12 minutes. Eggs would have been seven.
> play a word game in the queue: give me an anagram of "docker"
< "Corked". Fitting for a container.
> of "listen"?
< "Silent", "enlist", "tinsel", "inlets".
> enough, my turn came
~ wait 16
> what time is it in Seoul
< 21:40 there, seven hours ahead of you.
> say happy birthday to Minjun in Korean, casual, he is 12
< 민준아, 생일 축하해! 오늘 맛있는 거 많이 먹어 🎂
> he sent a voice note, asks when we visit
< The school holidays start on 16 July. Flights from Frankfurt are lowest in the third week.
> write him: 여름에 갈게!
< Sent as it is, it was perfect.
> mute until 7
< Quiet until seven.
~ compact [CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted. Lists empty. The
  neighbour speaks Portuguese. ESP32 parcel left with him. Minjun (12) in Seoul: visit planned for
  the third week of July. Ikaria noted for 2027.
~ wait 24
> morning. what's today
! calendar {"from": "today", "days": 1}
| 10:00 architecture review; 16:30 swimming
< Architecture review at ten, swimming at half past four. 19 degrees and dry.
> what do I need for the review
< Your note from Friday: the replication diagram, the cost of lab2, and the question of who is on
  call in August.
> who IS on call in August
< Nobody signed up yet. Last year you did two weeks and said never again.
> say never again again
< Never again, noted with today's date.
> swimming is cancelled, pool closed
! calendar {"remove": "swimming"}
| removed
< Removed. The lake is 21 degrees, if the octopus wants to come.
> octopus and child on the way. thanks
> bee scale: dad says 41.2 kg, is that good?
< For mid June, with one super on, that is good. Three kilos more than last week means the lime
  trees are flowering.
> he says the news is terrible though
< Tell him the bees do not read it.
> sent. he replied with a heart. first emoji of his life
"""

TALKS = (
    Talk(
        key="chat", day=25, hour=5.3, script=_CHAT, source="telegram", cwd=None, end=None,
        model="hermes-4-70b",
    ),
)  # fmt: skip
