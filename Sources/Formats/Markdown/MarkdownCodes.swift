import Diagnostics

extension DiagnosticCode {
  /// Front matter that is not YAML.
  public static let brokenFrontMatter = DiagnosticCode(
    "MKD0101", "broken-front-matter", .error, "The front matter of a note is not YAML.",
    why: "its values cannot be read reliably; only its plain lines were read",
    fix: "correct it at the place given")
  /// A value of the front matter that cannot be used.
  public static let frontMatterValue = DiagnosticCode(
    "MKD0102", "front-matter-value", .warning, "A value in the front matter is not valid for its key.",
    why: "the note is read without the key; the value is kept with the note",
    fix: "write it in the form given")
  /// A date in words.
  public static let looseDate = DiagnosticCode(
    "MKD0103", "loose-date", .warning, "A date in the front matter is not a complete date.",
    why: "FleetKit does not make up the missing part of a date; the text is kept with the note",
    fix: "write it as 2026-01-05")
  /// A language that was recognized by the script.
  public static let languageFromText = DiagnosticCode(
    "MKD0104", "language-from-text", .note, "The language of a note was recognized by its letters.",
    why: "the note does not declare its language",
    fix: "if it is wrong, add 'language:' to the front matter")
  /// A note that was recognized as a checklist or a deck without declaring it.
  public static let inferredKind = DiagnosticCode(
    "MKD0105", "inferred-kind", .note, "The type of a note was recognized by its content.",
    why: "the note does not declare its type; --explain lists the evidence",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter, or use --infer never")
  /// A note that might be a checklist and was read as a guide.
  public static let uncertainKind = DiagnosticCode(
    "MKD0106", "uncertain-kind", .warning,
    "A note looks somewhat like a checklist or a deck and was read as a guide.",
    why: "the evidence is too weak to decide without asking; --explain lists it",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter")
  /// Ticks in a checklist.
  public static let ticksInChecklist = DiagnosticCode(
    "MKD0107", "ticked-boxes", .warning, "Boxes of a checklist are ticked.",
    why: "ticks belong to a charter, not to a checklist; the text is kept with the note",
    fix: "nothing needs to be done; to make executions of them, use --with-ticks")
  /// A text in an old encoding.
  public static let otherEncoding = DiagnosticCode(
    "MKD0108", "other-encoding", .note, "A note is not in UTF-8.",
    why: "it was read in the encoding given; the file itself keeps it",
    fix: "if letters look wrong, save it as UTF-8")
  /// A file that is not text.
  public static let notText = DiagnosticCode(
    "MKD0109", "not-text", .error, "A note is not text in an encoding that FleetKit reads.",
    why: "the meaning of its bytes is unknown",
    fix: "save it as UTF-8")
  /// A file that is about the folder.
  public static let aboutTheFolder = DiagnosticCode(
    "MKD0110", "about-the-folder", .warning, "A file was left out because it is about the folder, not content.",
    why: "README, CONTRIBUTING and the like explain how to use a folder; one with boxes is a checklist and is read",
    fix: "to have it read, name the file itself, or add 'type:' to its front matter")
  /// A record that cannot be expressed in Markdown.
  public static let keptWhole = DiagnosticCode(
    "MKD0112", "kept-whole", .warning, "An item of a library is kept as a whole record, not as a note of the vault.",
    why: "Markdown cannot express it without loss",
    fix: "nothing needs to be done")
  /// Notes of a vault that the library does not have.
  public static let leftAlone = DiagnosticCode(
    "MKD0113", "left-alone", .note, "A vault contains something that is not in the library that was exported to it.",
    why: "it was either added to the vault or deleted in the library; FleetKit cannot distinguish the two",
    fix: "to add it to the library, import the vault; otherwise delete it in the vault")
  /// An id that a step above already has.
  public static let repeatedID = DiagnosticCode(
    "MKD0114", "repeated-id", .warning, "A section or step of a note has the id of one above it.",
    why: "ticking one would tick the other; the second gets its own id",
    fix: "nothing needs to be done for a line that was copied; to stop this warning, remove the id")
  /// A note that git could not merge.
  public static let conflictMarkers = DiagnosticCode(
    "MKD0115", "conflict-markers", .error, "A note contains unresolved git conflict markers.",
    why: "it contains the lines of both sides, and the markers would become content",
    fix: "resolve the conflict: remove the unwanted lines and the markers")
  /// A note that was edited and not imported.
  public static let editedNote = DiagnosticCode(
    "MKD0116", "edited-note", .warning,
    "A note was edited in the vault and not imported; the export did not change it.",
    why: "the library does not have the edit; writing the library's version would lose it",
    fix: "import the vault, then export again")
  /// A note that may be a card of a deck, but cannot be read as one.
  public static let unreadCard = DiagnosticCode(
    "MKD0117", "unread-card", .error, "A note in a folder of cards cannot be read as a card.",
    why: "without it the deck would lose a card, so the deck is left out and the library keeps its version",
    fix: "make it a card again, delete it to delete the card, or move it to another folder")
  /// A note that exceeds the limits for notes.
  public static let noteTooLarge = DiagnosticCode(
    "MKD0118", "note-too-large", .error, "A note exceeds the limits for notes.",
    why: "blocks of a note are kept in memory, so their size is limited; the file was not read and not changed",
    fix: "split it into several notes, or leave it out")
  /// A note that an export could not change.
  public static let noteNotWritten = DiagnosticCode(
    "MKD0119", "note-not-written", .warning, "A note of a vault does not have the content of the library.",
    why: "an export changes a note only in the note's own notation, or leaves it unchanged",
    fix: "edit the note yourself, or export with --rewrite-notes")
  /// A key or a value of the front matter that looks misspelled.
  public static let misspelledFrontMatter = DiagnosticCode(
    "MKD0122", "misspelled-front-matter", .warning, "A key or a value of the front matter looks misspelled.",
    why: "it is kept as written; unknown keys and types have no effect",
    fix: "use the suggestion; nothing needs to be done if the word is intended")
  /// Front matter that does not begin the note.
  public static let lateFrontMatter = DiagnosticCode(
    "MKD0123", "late-front-matter", .warning, "The front matter of a note does not begin on the first line.",
    why: "front matter must begin on line 1; anywhere else it is part of the text",
    fix: "move it to line 1")
  /// A date that does not exist.
  public static let impossibleDate = DiagnosticCode(
    "MKD0124", "impossible-date", .warning, "A date in the front matter does not exist.",
    why: "the month does not have that day, or the day does not have that hour; the text is kept with the note",
    fix: "correct the date")
  /// Parts of a note that are not in its checklist.
  public static let leftOutOfChecklist = DiagnosticCode(
    "MKD0125", "left-out-of-checklist", .warning, "A part of a note is not in its checklist.",
    why: "comments are not shown, and a row needs a step; the text is kept with the note",
    fix: "leave a comment as it is; give a row a step, or a cell a column")
  /// A placeholder of a template that was not replaced.
  public static let templatePlaceholder = DiagnosticCode(
    "MKD0126", "template-placeholder", .warning, "A title in a note contains a template placeholder.",
    why: "it is read as written; the program that makes notes from templates did not replace it",
    fix: "replace it, or name the folder of templates in Obsidian's settings, so that the folder is left out")

  /// A box that became text.
  public static let boxInDetails = DiagnosticCode(
    "MKD0120", "box-in-details", .warning, "A box of a checklist is not a step.",
    why: "the titles above it are too long to be put in front of its own; it is in the details of the step above",
    fix: "move it out of the step above, or shorten the titles")
  /// A word after a step that is almost an attribute.
  public static let unknownAttribute = DiagnosticCode(
    "MKD0121", "unknown-attribute", .warning, "A word after a step is probably meant as an attribute.",
    why: "it is not a known attribute, or has no dot in front of it, so it stays in the title",
    fix: "write '· required', '· optional', '· 5 min' or '· 1 h' after the title")

  /// All findings about notes.
  package static let markdown = [
    brokenFrontMatter, frontMatterValue, looseDate, languageFromText, inferredKind, uncertainKind,
    ticksInChecklist, otherEncoding, notText, aboutTheFolder, keptWhole, leftAlone, repeatedID, conflictMarkers,
    editedNote, unreadCard, noteTooLarge, noteNotWritten, boxInDetails, unknownAttribute, misspelledFrontMatter,
    lateFrontMatter, impossibleDate, leftOutOfChecklist, templatePlaceholder,
  ]
}
