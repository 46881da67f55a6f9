"""The sample: a Greek holiday, bread, and other things that are not computers."""

from __future__ import annotations

from hermes_tui.demo.script import Talk

_GREECE = r"""
> We want two weeks in Greece in September, two adults and a seven-year-old, no flights between
  islands, ferries are half the fun. Not Santorini. Ideas?
? Family, ferries, September, no crowds. Cyclades minus the famous two; short legs.
< Three shapes that work with ferries and a child: the small Cyclades with Naxos as a base; the
  Sporades from Volos, green and calm; or the Ionian side, Corfu and Paxos. September favours the
  Cyclades: the wind calms down and the sea is at its warmest.
> Cyclades then. How do we avoid five-hour ferry days
< Keep every leg under three hours. Piraeus to Syros 3:40 is the only exception, break the day
  with breakfast on deck. Then Syros–Naxos, Naxos–Koufonisia, back to Naxos–Piraeus by fast boat.
! web_search {"query": "ferry Syros Naxos September timetable Blue Star Paros"}
| 1. Blue Star Paros: Syros 11:25 → Paros 12:35 → Naxos 13:40, daily except Tuesday
| 2. Skopelitis: Naxos 15:00 → Iraklia → Schinoussa → Koufonisia 17:55, Mon–Sat
< Daily except Tuesdays, two hours fifteen with a stop at Paros. The Skopelitis to Koufonisia is a
  small old boat; it is an adventure, and it does rock when the meltemi blows.
> kid gets seasick :(
< Then take the big ferry to Koufonisia, it calls three times a week, and sit outside at the
  middle of the ship. Ginger helps some children; ask the pharmacist for the age-appropriate
  tablets.
> Draft an itinerary
< Day 1 Athens, evening walk, early bed. Day 2 ferry to Syros. Days 2–4 Ermoupoli: the town,
  Galissas beach, the Apollo theatre. Day 5 to Naxos. Days 5–9 Naxos: Plaka beach, the Demeter
  temple, a day in the mountain villages (Halki, Apeiranthos). Days 10–12 Koufonisia: walk to
  Pori, swim in Italida. Day 13 back to Naxos and the fast boat to Piraeus. Day 14 home.
> love it. budget?
< Ferries about 340 euros for three with the child's half fare; rooms at 85 a night in September
  come to 1,100; food 70 a day, 1,000; a car on Naxos for two days 90. Around 2,600 without
  flights.
> here is the ferry confirmation, is the date format US or EU? 09/11
% a ferry booking confirmation for 09/11
< The barcode line says 110926 and the weekday printed is Friday. 11 September 2026 is a Friday; 9
  November is a Monday. So it is European: the 11th of September.
> phew. A packing list for the kid please
< Hat, two swimsuits, water shoes for the rocks at Pori, a long-sleeved UV shirt, the yellow ducks
  book, motion tablets, a small towel for the deck, headphones, a power bank, and the cuddly
  octopus.
> you remembered the octopus!
< You mentioned it when we planned the train trip. It has its own seat, I assume.
> what do we eat on Naxos that a 7yo likes
< Gruyère-like graviera with everything, fried potatoes (the island is famous for them), keftedes,
  and loukoumades with honey. For you: kitron liqueur, in small doses.
> and rain plan?
< In September it hardly rains. But: the Archaeological Museum in the Kastro, a cooking afternoon
  in Halki, the marble workshop in Apeiranthos.
> Meltemi, how bad
< In the first half of September, force 5 to 6 on some days. Choose south-west beaches then: Mikri
  Vigla has two sides, one is always calm. Ferries are cancelled from force 8, about one day in
  the month.
> booked: Syros 2 nights → 3, as you said. Thanks!
< Lovely. I will keep the itinerary here; ask me for the day before each crossing and I will check
  the timetable.
> Can we do Delos as a day trip from Naxos?
< Yes, via Mykonos, leaving 9:30 and back at 17:30. With a seven-year-old I would rather do it
  from Syros, or skip it: two hours in full sun, no shade and no café on Delos.
> skip. octopus agrees
"""

_GREECE_BRANCH = r"""
> what if we drop Syros and go straight to Naxos, three more beach days?
< You save a hotel change, and lose the prettiest town of the trip. The direct ferry takes 5:15,
  or 3:30 by fast boat at twice the price. With the seasick passenger, the slow one.
> hmm. five hours vs. a theatre. kid votes beach
< Then this variant: Naxos 8 nights, Koufonisia 4. I would book the room at Plaka for the first
  five nights, and Halki for three, so that it does not become one long beach.
> keeping both versions until Sunday
"""

_BREAD = r"""
> My sourdough spreads like a pancake. 75% hydration, 12% protein flour, bulk 5 h at 24 °C. What
  is wrong?
< Most likely over-fermented or under-shaped. 5 hours at 24 degrees with 20% starter is the upper
  end. When it has grown by half, stop, whatever the clock says.
> how do I see "half" in a bowl?
< Put 50 g of the dough into a small straight glass and mark the level. When the sample has grown
  by 50%, the dough has as well.
> 🤯 the bread recipe I follow never said that
< Then the recipe again, with that in mind: 450 g bread flour, 50 g rye, 365 g water (73%), 100 g
  active starter, 10 g salt. Mix without salt, rest 40 minutes, salt, four folds in two hours,
  stop at +50%, shape tightly, 14 hours at 4 degrees, bake from cold.
> cold straight from the fridge?
< Yes: cold dough holds its shape and is easier to score. 250 °C in the pot for 20 minutes, then
  25 minutes at 220 without the lid.
> attempt 2
% a loaf, cut open, with a dense line near the bottom
< Much better height. The dense line at the bottom is from the floor of the oven: preheat the pot
  longer, 45 minutes, or put the baking steel under it. The crumb is even, so fermentation was
  right.
> attempt 3, with steel. it sang when cooling!!
< The crackle is the crust contracting. That is as good a certificate as there is.
> how would I scale to 3 loaves? fridge only fits two
< Multiply everything by three and bake one on the evening itself after two hours at 4 degrees;
  the two others overnight. The first tastes milder.
> what about all the starter I throw away
< Crackers: 200 g of starter, 50 g of flour, 30 g of oil, salt, rosemary, thin, 180 °C for 18
  minutes. Or keep a smaller starter: 15 g is enough between two bakes.
> 15 g?! I've been feeding a bucket
< The bucket was the bakery's way, they bake every day.
> Rye next, grandma style
< Rye has no gluten to develop: it is a paste, and acid holds it. 100% rye sour, 80% of the flour
  pre-fermented, 85% hydration, no kneading, three hours at 30 degrees, in a tin, 60 minutes
  falling from 250 to 200. Wait a day before cutting, that is the hard part.
> waited 20 hours, gave in. tastes like childhood
"""

_PIANO = r"""
> I'm 41 and start piano. 20 minutes a day. Plan for 3 months?
< Month one: five-finger positions, reading both clefs slowly, two folk tunes hands separately.
  Month two: scales of C and G, a simple left-hand pattern. Month three: one real piece, Petzold's
  Minuet in G, hands together at half tempo.
> which is better, 20 min daily or an hour every other day
< Daily. Motor learning is consolidated in sleep, so seven short nights beat three long ones.
> week 5: left hand is a brick
< Practise the left hand alone with your eyes closed, and count aloud. And halve the tempo again;
  a brick is mostly speed.
> week 11: I played the minuet for my mother. she cried (good kind)
"""

_TOMATO = r"""
> Lower leaves of my tomatoes turn yellow with brown rings. Photo
% tomato leaves with concentric brown rings
< Concentric rings on the lowest leaves: early blight, Alternaria. Remove the affected leaves,
  mulch the soil so rain does not splash, water at the base, and give the plants air.
> spray?
< Only if it climbs past the first truss. Copper works as prevention, not as a cure.
> cleaned them up. basil next to it also looks sad
< Basil wilts from cold nights and wet feet. Different problem, same cure: less water in the
  evening.
"""

_MARATHON = r"""
> Berlin half marathon in 14 weeks, I run 15 km a week. Realistic?
< Yes, comfortably, if you reach about 35 km a week by week ten. Three runs: one easy, one with
  4×5 minutes brisk, one long that grows from 9 to 18 km. Every fourth week lighter.
> shin hurts after week 3
< Stop the fast run for ten days, keep cycling, look at the shoes: over 700 km? Pain on the bone
  to the touch would be a reason to see a doctor.
> shoes had 1,100 km. new ones, pain gone
> result: 1:58:31!!
< Under two hours at the first attempt. Congratulations!
"""

_SCIENCE = r"""
> science fair, second grade, volcano is banned ("everyone does the volcano"). 2 hours, household
  stuff
< A red-cabbage indicator: boil the cabbage, pour the purple water into seven glasses, add lemon,
  vinegar, water, baking soda, soap. A rainbow of acids and bases, and the question is one a child
  can ask: what is in between?
> can we *measure* something?
< Yes: how many drops of vinegar until the soda glass turns purple again. Three runs each, draw
  the bars. That is a titration.
> first prize for "the rainbow of sour" 🌈
"""

_TAX = r"""
> home office tax question, Germany, 2025: Pauschale or real costs?
< The flat rate is 6 euros a day, at most 1,260 a year, without a separate room. Real costs need a
  room used almost only for work that is the centre of your activity. For three days a week at
  home the flat rate is usually the honest answer. I am no tax adviser.
> 132 days → ?
< 132 × 6 = 792 euros.
"""

_BIKE = r"""
> chain skips under load on the two smallest cogs
< Worn cassette or a bent hanger. Only the small ones: those are the ones you use most, so wear.
  Measure the chain; at 0.75% it has taken the cogs with it.
> 0.8%. sigh
< Chain and cassette together, then. The chainrings are fine if the new chain does not ride up.
"""

_PRESENT = r"""
> present for my father, 70, has everything, likes: radio, bees, complaining about the news
< A beehive scale that reports by radio: 868 MHz, weight and temperature, and it gives him numbers
  to complain about in spring.
> 😂 perfect. which one without a cloud?
< Build one: an HX711, four load cells, an ESP32 with LoRa, and the receiver in his shack. Two
  evenings. I can draw the wiring.
> two evenings were four, but he sends me the weight of his bees every morning now
"""

TALKS = (
    Talk(
        key="greece", day=66, hour=18.9, script=_GREECE, title="Greek island holiday",
        source="telegram", cwd=None, end="branched", pinned=True,
    ),
    Talk(
        key="greece-naxos", day=65, hour=0, script=_GREECE_BRANCH, parent="greece", edge="branch",
        copies=14, source="telegram", cwd=None, end=None, title="Greek island holiday (only Naxos)",
    ),
    Talk(
        key="bread", day=113, hour=9.3, script=_BREAD, title="Sourdough that keeps its shape",
        source="desktop", cwd=None,
    ),
    Talk(key="piano", day=160, hour=20.1, script=_PIANO, title="Piano at 41", source="webui",
         cwd=None),
    Talk(key="tomato", day=12, hour=17.6, script=_TOMATO, source="telegram", cwd=None, end=None),
    Talk(key="marathon", day=178, hour=6.2, script=_MARATHON, title="Half marathon in 14 weeks",
         source="telegram", cwd=None, end="idle_timeout"),
    Talk(key="science", day=90, hour=15.0, script=_SCIENCE, title="The rainbow of sour",
         source="desktop", cwd=None),
    Talk(key="tax", day=136, hour=19.0, script=_TAX, cwd=None, archived=True),
    Talk(key="bike", day=52, hour=11.0, script=_BIKE, source="discord", cwd=None, end=None),
    Talk(key="present", day=44, hour=21.2, script=_PRESENT, title="A present for a beekeeper",
         source="webui", cwd=None),
)  # fmt: skip
