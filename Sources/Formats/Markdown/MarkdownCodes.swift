import Diagnostics

extension DiagnosticCode {
  /// Front matter that is no YAML.
  public static let brokenFrontMatter = DiagnosticCode(
    "MKD0101", "broken-front-matter", .error, "The front matter of a note is not YAML.",
    why: "what it says cannot be read for sure; its plain lines are taken as they stand",
    fix: "correct it at the place that is named")
  /// A value of the front matter that cannot be used.
  public static let frontMatterValue = DiagnosticCode(
    "MKD0102", "front-matter-value", .warning, "A value of the front matter cannot be used as what its key says.",
    why: "the note is read as if the key were not there; the value is kept with the note",
    fix: "write it in the form that is named")
  /// A date in words.
  public static let looseDate = DiagnosticCode(
    "MKD0103", "loose-date", .warning, "A date of the front matter is no full date.",
    why: "a year or a month that was invented would be worse than none; the text is kept with the note",
    fix: "write it as 2026-01-05")
  /// A language that was taken from the script.
  public static let languageFromText = DiagnosticCode(
    "MKD0104", "language-from-text", .note, "The language of a note was taken from its letters.",
    why: "the note does not say its language",
    fix: "add 'language:' to the front matter where it is wrong")
  /// A note that was taken for a checklist or a deck without saying so.
  public static let inferredKind = DiagnosticCode(
    "MKD0105", "inferred-kind", .note, "A note was taken for what it looks like.",
    why: "it does not say what it is; --explain lists the evidence",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter, or use --infer never")
  /// A note that might be a checklist and was taken for a guide.
  public static let uncertainKind = DiagnosticCode(
    "MKD0106", "uncertain-kind", .warning,
    "A note looks somewhat like a checklist or a deck and was taken for a guide.",
    why: "the evidence is too weak to decide without asking; --explain lists it",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter")
  /// Ticks in a checklist.
  public static let ticksInChecklist = DiagnosticCode(
    "MKD0107", "ticked-boxes", .warning, "Boxes of a checklist are ticked.",
    why: "a checklist keeps no ticks, a charter does; the text is kept with the note",
    fix: "nothing, or use --with-ticks to make executions of them")
  /// A text in an old encoding.
  public static let otherEncoding = DiagnosticCode(
    "MKD0108", "other-encoding", .note, "A note is not in UTF-8.",
    why: "it was read in the encoding that is named, and keeps it in its folder",
    fix: "save it as UTF-8 where letters look wrong")
  /// A file that is no text.
  public static let notText = DiagnosticCode(
    "MKD0109", "not-text", .error, "A note is no text in any encoding that FleetKit knows.",
    why: "nobody can say what its bytes mean",
    fix: "save it as UTF-8")
  /// A file that is about the folder.
  public static let aboutTheFolder = DiagnosticCode(
    "MKD0110", "about-the-folder", .warning, "A file was left out because it is about the folder, not content.",
    why: "README, CONTRIBUTING and the like say how to use a folder; one with boxes is a checklist and is read",
    fix: "name the file itself, or add 'type:' to its front matter, to have it read")
  /// A record that Markdown could not say.
  public static let keptWhole = DiagnosticCode(
    "MKD0112", "kept-whole", .warning, "An item of a library is kept whole, and not as a note of the vault.",
    why: "Markdown cannot say it without losing something",
    fix: "nothing needs to be done")
  /// Notes of a vault that the library does not have.
  public static let leftAlone = DiagnosticCode(
    "MKD0113", "left-alone", .note, "A vault has something that is not in the library that was written into it.",
    why: "somebody may have made it there, or it was deleted in the library; nobody can tell which",
    fix: "import the vault to have it in the library, or delete it in the vault")
  /// An id that a step above has already.
  public static let repeatedID = DiagnosticCode(
    "MKD0114", "repeated-id", .warning, "A section or step of a note has the id of one above it.",
    why: "ticking one would tick the other; the second gets an id of its own",
    fix: "nothing needs to be done for a line that was copied; take the id away to be rid of this")
  /// A note that git could not merge.
  public static let conflictMarkers = DiagnosticCode(
    "MKD0115", "conflict-markers", .error, "A note has git's marks of a conflict in it.",
    why: "lines of both sides stand in it, and the marks would become content",
    fix: "settle the conflict: take away the lines that are not wanted, and the marks")
  /// A note that was edited and not imported.
  public static let editedNote = DiagnosticCode(
    "MKD0116", "edited-note", .warning,
    "A note was edited in the vault and not imported; the export did not change it.",
    why: "the library does not have the edit; writing the library's version would lose it",
    fix: "import the vault, and export again")
  /// A note that may be a card of a deck, and cannot be read as one.
  public static let unreadCard = DiagnosticCode(
    "MKD0117", "unread-card", .error, "A note in a folder of cards cannot be read as a card.",
    why: "without it the deck would have lost a card, so the deck is left out and the library keeps its own",
    fix: "make it a card again, delete it to delete the card, or move it to another folder")
  /// A note beyond the limits for notes.
  public static let noteTooLarge = DiagnosticCode(
    "MKD0118", "note-too-large", .error, "A note is larger than the limits for notes.",
    why: "its blocks are kept in memory, and no file may use up the memory; the file was not read and not changed",
    fix: "split it into several notes, or leave it out")
  /// A note that an export could not change.
  public static let noteNotWritten = DiagnosticCode(
    "MKD0119", "note-not-written", .warning, "A note of a vault does not have what the library has.",
    why: "an export changes a note in its own notation, or leaves it as it is",
    fix: "edit the note yourself, or export with --rewrite-notes")
  /// A key or a value of the front matter that looks misspelled.
  public static let misspelledFrontMatter = DiagnosticCode(
    "MKD0122", "misspelled-front-matter", .warning, "A key or a value of the front matter looks misspelled.",
    why: "it is kept as written; a key that FleetKit does not know, and an unknown type, decide nothing",
    fix: "write what is proposed, or nothing if the word is meant")
  /// Front matter that does not begin the note.
  public static let lateFrontMatter = DiagnosticCode(
    "MKD0123", "late-front-matter", .warning, "Front matter does not begin on the first line of a note.",
    why: "only what begins on line 1 is front matter; anything later is a part of the text",
    fix: "move it to line 1")
  /// A date that does not exist.
  public static let impossibleDate = DiagnosticCode(
    "MKD0124", "impossible-date", .warning, "A date of the front matter does not exist.",
    why: "the month does not have that day, or the day that hour; the text is kept with the note",
    fix: "correct the date")
  /// Parts of a note that are not in its checklist.
  public static let leftOutOfChecklist = DiagnosticCode(
    "MKD0125", "left-out-of-checklist", .warning, "A part of a note is not in its checklist.",
    why: "comments are not shown, and a row needs a step; the text is kept with the note",
    fix: "for a comment, nothing; give a row a step, or a cell a column")
  /// A placeholder of a template that was not replaced.
  public static let templatePlaceholder = DiagnosticCode(
    "MKD0126", "template-placeholder", .warning, "A title of a note has a placeholder of a template.",
    why: "it is read as it is written; the program that makes notes of templates did not replace it",
    fix: "write what is meant, or name the folder of templates in Obsidian's settings, so that it is left out")

  /// A box that became text.
  public static let boxInDetails = DiagnosticCode(
    "MKD0120", "box-in-details", .warning, "A box of a checklist is not a step.",
    why: "the titles above it are too long to be put in front of its own; it is in the details of the step above",
    fix: "move it out of the step above, or shorten the titles")
  /// Something behind a step that is nearly an attribute.
  public static let unknownAttribute = DiagnosticCode(
    "MKD0121", "unknown-attribute", .warning, "A word behind a step is probably meant as an attribute.",
    why: "it is not one that FleetKit knows, or no dot is in front of it, so it stays in the title",
    fix: "write '· required', '· optional', '· 5 min' or '· 1 h' behind the title")

  /// Findings of notes.
  package static let markdown = [
    brokenFrontMatter, frontMatterValue, looseDate, languageFromText, inferredKind, uncertainKind,
    ticksInChecklist, otherEncoding, notText, aboutTheFolder, keptWhole, leftAlone, repeatedID, conflictMarkers,
    editedNote, unreadCard, noteTooLarge, noteNotWritten, boxInDetails, unknownAttribute, misspelledFrontMatter,
    lateFrontMatter, impossibleDate, leftOutOfChecklist, templatePlaceholder,
  ]
}
