import Content

/// Notes as sailors write them, labelled with the type that a sailor would choose.
///
/// Sailors would disagree on a few of them. These have the label that most sailors would choose.
enum NoteCorpus {
  struct Note: Sendable {
    let path: String
    let isChecklist: Bool
    let text: String
  }

  static let all = checklists + guides + RussianNotes.checklists + RussianNotes.guides

  private static func checklist(_ path: String, _ text: String) -> Note {
    Note(path: path, isChecklist: true, text: text)
  }
  private static func guide(_ path: String, _ text: String) -> Note { Note(path: path, isChecklist: false, text: text) }

  static let checklists = [
    checklist(
      "checklists/departure.md",
      "# Departure\n\n## Engine\n- Check oil level\n- Open sea cock\n- Test bilge pump\n\n## Deck\n- Remove sail cover\n- Stow fenders\n"
    ),
    checklist(
      "Before leaving the dock.md",
      "- Check weather\n- Brief crew\n- Test VHF\n- Disconnect shore power\n- Start engine\n"),
    checklist(
      "safety.md", "# Safety\n\n- [ ] Life jackets\n- [ ] Flares in date\n- [ ] Fire extinguisher\n- [x] EPIRB\n"),
    checklist("notes/engine start.md", "- [ ] Oil\n- [ ] Coolant\n- [ ] Belt\n- [ ] Sea cock\n- [ ] Neutral\n"),
    checklist(
      "Packing list.md",
      "## Clothes\n- Foul weather gear\n- Gloves\n- Hat\n\n## Documents\n- Passport\n- Licence\n- VHF certificate\n"),
    checklist(
      "provisioning.md",
      "# Provisioning for a week, 6 people\n\n**Dry**\n- Pasta 3 kg\n- Rice 2 kg\n- Coffee\n\n**Fresh**\n- Tomatoes\n- Onions\n- Bread\n"
    ),
    checklist(
      "handover.txt.md",
      "Yacht handover\n\n☐ Inventory signed\n☐ Hull photographed\n☐ Fuel full\n☐ Dinghy inflated\n☐ Anchor tested\n"),
    checklist(
      "pre-start.md",
      "PRE-START\n\n____ Fuel valve open\n____ Battery switch on\n____ Blower 4 min\n____ Throttle neutral\n"),
    checklist(
      "return.md",
      "Return to base:\n\n[ ] Refuel\n[ ] Empty black tank\n[ ] Take out rubbish\n[ ] Photograph fuel gauge\n"),
    checklist(
      "SOP/mooring.md",
      "# Mooring stern-to\n\n1. Prepare two stern lines\n2. Hang fenders both sides\n3. Drop anchor four lengths out\n4. Reverse slowly\n5. Secure windward line first\n"
    ),
    checklist(
      "Man overboard drill.md",
      "1. Shout \"Man overboard\"\n2. Throw lifebuoy\n3. Press MOB on the plotter\n4. Point at the casualty\n5. Start engine\n6. Furl genoa\n"
    ),
    checklist(
      "winterising.md",
      "# Winterising\n\nDo this in October.\n\n## Engine\n- Change oil and filter\n- Drain raw water\n- Flush with antifreeze\n\n## Rig\n- Remove sails\n- Slacken halyards\n- Wash all lines\n"
    ),
    checklist(
      "vessel/Night watch.md",
      "* Check lights\n* Log position every hour\n* Wake skipper if wind over 25 kn\n* Clip on\n* Scan horizon every 10 min\n"
    ),
    checklist(
      "procedures/reefing.md",
      "- Ease mainsheet\n- Take up topping lift\n- Lower halyard to mark\n- Hook tack\n- Tension reef line\n- Raise halyard\n"
    ),
    checklist(
      "Arrival.md",
      "# Arrival\n\n- Call marina on VHF 9\n- Fenders out\n- Lines ready\n- Engine in neutral before the last turn\n- Shore power connected\n- Harbour dues paid\n"
    ),
    checklist(
      "todo boat.md",
      "- [ ] varnish the companionway\n- [x] new impeller\n- [ ] order zincs\n- [ ] fix the head pump #urgent\n"),
    checklist(
      "first aid kit.md",
      "# First aid kit inventory\n\n- Bandages 10\n- Plasters\n- Ibuprofen\n- Seasickness tablets\n- Burn gel\n- Scissors\n- Thermometer\n"
    ),
    checklist(
      "Crew briefing.md",
      "# Safety briefing\n\n- Show life jackets and how to put them on\n- Explain gas: off when nobody cooks\n- Show fire extinguishers\n- Explain the head\n- Show how to stop the engine\n- Demonstrate the VHF distress button\n"
    ),
    checklist("checks/daily.md", "• Bilge dry\n• Oil level\n• Batteries above 12.4 V\n• Rigging pins\n• Gas off\n"),
    checklist(
      "heavy weather.md",
      "# Preparing for heavy weather\n\n## Below\n- Stow everything\n- Close sea cocks of the heads\n- Prepare food for 24 hours\n- Charge batteries\n\n## On deck\n- Rig jacklines\n- Lash the dinghy\n- Check storm jib\n- Double-check hatches\n"
    ),
    checklist(
      "Trip/anchor.md",
      "Anchoring:\n1) Choose spot, check depth\n2) Prepare anchor\n3) Head to wind\n4) Drop, reverse to set\n5) Snub\n6) Take bearings\n"
    ),
    checklist(
      "engine-shutdown.md",
      "- Idle 3 minutes\n- Stop engine\n- Turn key off\n- Close sea cock\n- Close fuel valve\n- Switch off battery\n"),
    checklist(
      "Dinghy.md",
      "## Before use\n- [ ] Inflate\n- [ ] Kill cord\n- [ ] Oars\n\n## After use\n- [ ] Lift engine\n- [ ] Lock to the rail\n"
    ),
  ]

  static let guides = [
    guide(
      "guides/anchoring.md",
      "# Anchoring\n\nAnchoring well is mostly about choosing the right place. Look at the chart first, then at the water, and think about what the wind will do at night.\n\nGood holding is found in:\n\n- sand\n- mud\n- clay\n\nWeed and rock are poor. In weed a plough anchor slides over the bottom and gives no warning before it drags.\n\nSet the anchor by going astern slowly, and raise the revs only when the chain is stretched. Watch a transit ashore.\n"
    ),
    guide("Sailing.md", "# Sailing\n\n- [[Anchoring]]\n- [[Mooring]]\n- [[Weather|The weather]]\n- [[Knots]]\n"),
    guide(
      "links.md",
      "# Useful links\n\n- [Windy](https://windy.com)\n- [Navily](https://navily.com)\n- https://noonsite.com\n- [COLREGs](https://imo.org)\n"
    ),
    guide(
      "recipes/one-pot pasta.md",
      "# One-pot pasta\n\n## Ingredients\n- 500 g pasta\n- 2 onions\n- 1 can tomatoes\n- olive oil\n\n## Method\n1. Fry the onions.\n2. Add everything else.\n3. Cook 12 minutes, stir often.\n"
    ),
    guide(
      "Log/2026-05-03.md",
      "# 3 May, Split to Vis\n\n- 08:30 left the marina, wind NW 3\n- 10:15 genoa up, engine off\n- 13:40 lunch in a bay on Brac\n- 17:05 moored in Vis, stern-to\n"
    ),
    guide(
      "meetings/crew meeting.md",
      "# Crew meeting\n\n## Attendees\n- Anna\n- Boris\n- Chris\n\n## Discussed\n- The route: west first, because of the forecast\n- Money: 200 each into the kitty\n- Who cooks: everybody, twice\n"
    ),
    guide(
      "knots.md",
      "# Knots\n\n- **Bowline** — a loop that does not slip and can always be opened\n- **Clove hitch** — for fenders, quick to tie and to adjust\n- **Rolling hitch** — holds along a line or a spar\n- **Figure eight** — a stopper at the end of a sheet\n"
    ),
    guide(
      "Reading the clouds.md",
      "# Reading the clouds\n\nCirrus that thickens from the west is the first sign of a warm front. Within a day the sky is veiled, the wind backs and freshens.\n\nCumulonimbus means squalls:\n\n- gusts from every direction\n- heavy rain\n- lightning\n\nReef before it arrives. When the temperature drops, you have about five minutes.\n"
    ),
    guide(
      "How a diesel works.md",
      "# How a diesel works\n\n## Intake\nThe piston goes down and draws in air.\n\n## Compression\n- The air is compressed twenty times and gets very hot.\n- No spark is needed for what follows.\n\n## Power\nFuel is injected and burns at once. The piston is driven down with great force and turns the crankshaft.\n"
    ),
    guide(
      "gear.md",
      "# What we have on board\n\nA few words about the equipment of this boat and where it came from.\n\n- Main: fully battened, 2019, by Elvstrom, still in very good shape after five seasons\n- Genoa: 135 %, 2021, a new UV strip was sewn on last winter in Split\n- Anchor: Rocna 25 kg with 60 m of 10 mm chain, marked every ten metres\n"
    ),
    guide(
      "glossary.md",
      "# Glossary\n\n- Luff: the front edge of a sail\n- Leech: the back edge of a sail\n- Tack: the lower front corner\n- Clew: the lower back corner\n"
    ),
    guide(
      "Lessons learned.md",
      "# Lessons learned 2025\n\n- We should have left earlier on Tuesday; the wind was up by noon and everybody got wet and tired.\n- Booking the berth by phone in the morning worked every time, even in August.\n- The second anchor was never used and lay in everybody's way for two weeks.\n"
    ),
    guide(
      "VHF.md",
      "# Talking on the radio\n\nListen before you talk. Keep it short. A call consists of three parts: who you call, who you are, where you are.\n\n1. Name of the other station, up to three times\n2. \"This is\" and your name\n3. Channel, \"over\"\n\nOn channel 16 you agree on a working channel and leave at once. Nobody wants to hear about your dinner.\n"
    ),
    guide(
      "Croatia/Vis.md",
      "# Vis\n\nA quiet island far out. The town quay has lazy lines and water; in the afternoon the swell of the ferries is felt.\n\n- Konoba Pojoda: fish, reserve\n- Bakery: behind the church, opens at six\n\nThe bay of Stoncica is a good alternative in south wind.\n"
    ),
    guide("empty.md", ""), guide("only heading.md", "# To be written\n"),
    guide(
      "Why we reef early.md",
      "Reefing early is no weakness.\n\n- The boat heels less and goes faster than one that is overpowered and makes leeway.\n- The crew stays warm and dry, and thinks more clearly than a crew that fights.\n- The gear lasts longer: most sails are torn in the ten minutes before somebody decides to reef.\n\nThe rule on this boat: when you first think of it.\n"
    ),
    guide(
      "tides.md",
      "| Port | HW | LW |\n|---|---|---|\n| Brest | 04:10 | 10:20 |\n| Cherbourg | 08:00 | 14:10 |\n\nTimes are UTC. Add an hour in summer.\n"
    ),
    guide(
      "Quotes.md",
      "> Wherever we want to go, we go.\n\n> The sea finds out everything you did wrong.\n\n- Conrad\n- Moitessier\n"),
    guide(
      "questions.md",
      "# Open questions\n\n- Which insurance do we need for Albania?\n- Does the deposit cover the dinghy?\n- Is the Skipper's licence of Anna valid there?\n"
    ),
    guide(
      "boats we liked.md",
      "- Bavaria 46: roomy, dull to sail\n- Dufour 412: fast, wet\n- Hanse 418: easy, small tanks\n- Sun Odyssey 449: good on every point\n"
    ),
    guide(
      "Journal/June.md",
      "We woke up late. The wind had gone, the sea was flat, and somebody had already made coffee.\n\nTo do tomorrow:\n\n- [ ] buy bread\n- [ ] fill water\n\nIn the evening we walked up to the fort. The view over the channel was worth every step. We talked until midnight about where to go next.\n"
    ),
    guide(
      "code.md",
      "# Notes on the plotter\n\nThe export looks like this:\n\n```\n- [ ] not a task\n- check this\n```\n\nImport it with the card in the left slot, never in the right one.\n"
    ),
    guide(
      "Rules of the road.md",
      "# Rules of the road\n\n1. A vessel on port tack keeps clear of a vessel on starboard tack.\n2. On the same tack, the vessel to windward keeps clear of the vessel to leeward.\n3. An overtaking vessel keeps clear of the one that is being overtaken, whatever she is.\n4. A power-driven vessel keeps clear of a sailing vessel, except in narrow channels.\n"
    ),
  ]
}
