import Diagnostics

extension DiagnosticCode {
  /// Reports front matter that is not YAML.
  public static let brokenFrontMatter = DiagnosticCode(
    "MKD0101", "broken-front-matter", .error, "The front matter of a note is not YAML.",
    why: "invalid YAML cannot be read reliably; only the plain lines were read",
    fix: "correct the YAML at the given position")
  /// Reports a front matter value that cannot be used.
  public static let frontMatterValue = DiagnosticCode(
    "MKD0102", "front-matter-value", .warning, "A front matter value is not valid for its key.",
    why: "the note is read without the key; the value is kept with the note",
    fix: "write the value in the form given")
  /// Reports a date that is not complete.
  public static let looseDate = DiagnosticCode(
    "MKD0103", "loose-date", .warning, "A date in the front matter is not a complete date.",
    why: "FleetKit does not make up the missing part of a date; the text is kept with the note",
    fix: "write the date as 2026-01-05")
  /// Reports a language that was recognized by the script.
  public static let languageFromText = DiagnosticCode(
    "MKD0104", "language-from-text", .note, "The language of a note was recognized by its letters.",
    why: "the note does not declare its language",
    fix: "if the language is wrong, add 'language:' to the front matter")
  /// Reports a note that was recognized as a checklist or a deck although it does not declare its type.
  public static let inferredKind = DiagnosticCode(
    "MKD0105", "inferred-kind", .note, "The type of a note was recognized by its content.",
    why: "the note does not declare its type; --explain lists the evidence",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter, or use --infer never")
  /// Reports a note that might be a checklist but was read as a guide.
  public static let uncertainKind = DiagnosticCode(
    "MKD0106", "uncertain-kind", .warning,
    "A note looks somewhat like a checklist or a deck and was read as a guide.",
    why: "the evidence is too weak to decide automatically; --explain lists the evidence",
    fix: "add 'type: checklist', 'type: guide' or 'type: deck' to the front matter")
  /// Reports ticks in a checklist.
  public static let ticksInChecklist = DiagnosticCode(
    "MKD0107", "ticked-boxes", .warning, "A checklist has ticked boxes.",
    why: "ticks belong to a charter, not to a checklist; the text is kept with the note",
    fix: "nothing needs to be done; to turn the ticks into executions, use --with-ticks")
  /// Reports a note that is not in UTF-8.
  public static let otherEncoding = DiagnosticCode(
    "MKD0108", "other-encoding", .note, "A note is not in UTF-8.",
    why: "the note was read in the encoding given; the file keeps its encoding",
    fix: "if letters look wrong, save the note as UTF-8")
  /// Reports a file that is not text.
  public static let notText = DiagnosticCode(
    "MKD0109", "not-text", .error, "A note is not text in an encoding that FleetKit reads.",
    why: "the meaning of its bytes is unknown",
    fix: "save the note as UTF-8")
  /// Reports a file that describes its folder.
  public static let aboutTheFolder = DiagnosticCode(
    "MKD0110", "about-the-folder", .warning, "A file was left out because it describes the folder and is not content.",
    why: "README, CONTRIBUTING and similar files explain a folder; only those with boxes are read, as checklists",
    fix: "to read the file, name it as the source, or add 'type:' to its front matter")
  /// Reports a record that cannot be expressed in Markdown.
  public static let keptWhole = DiagnosticCode(
    "MKD0112", "kept-whole", .warning, "An item is kept as a whole record, not as a note in the vault.",
    why: "Markdown cannot express the item without loss",
    fix: "nothing needs to be done")
  /// Reports notes of a vault that are not in the library.
  public static let leftAlone = DiagnosticCode(
    "MKD0113", "left-alone", .note, "A vault contains content that is not in the exported library.",
    why: "the content was either added to the vault or deleted from the library; FleetKit cannot tell which",
    fix: "to add the content to the library, import the vault; otherwise, delete it from the vault")
  /// Reports an id that an earlier section or step already has.
  public static let repeatedID = DiagnosticCode(
    "MKD0114", "repeated-id", .warning, "A section or step of a note has the same id as an earlier one.",
    why: "ticking one would also tick the other, so the second gets its own id",
    fix: "nothing needs to be done for a copied line; to stop this warning, remove the id")
  /// Reports a note that git could not merge.
  public static let conflictMarkers = DiagnosticCode(
    "MKD0115", "conflict-markers", .error, "A note contains unresolved git conflict markers.",
    why: "the note contains the lines of both sides, and the markers would become content",
    fix: "resolve the conflict: remove the unwanted lines and the markers")
  /// Reports a note that was edited but not imported.
  public static let editedNote = DiagnosticCode(
    "MKD0116", "edited-note", .warning,
    "A note was edited in the vault but not imported, so the export did not change it.",
    why: "the library does not have the edit; writing the library's version would lose it",
    fix: "import the vault, then export again")
  /// Reports a note that may be a card of a deck but cannot be read as a card.
  public static let unreadCard = DiagnosticCode(
    "MKD0117", "unread-card", .error, "A note in a card folder cannot be read as a card.",
    why: "without the note, the deck would lose a card, so the deck is left out and the library keeps its version",
    fix: "make the note a card again, delete the note to delete the card, or move the note to another folder")
  /// Reports a note that exceeds the limits for notes.
  public static let noteTooLarge = DiagnosticCode(
    "MKD0118", "note-too-large", .error, "A note exceeds the limits for notes.",
    why: "a note's blocks are kept in memory, so its size is limited; the file was neither read nor changed",
    fix: "split the note into several notes, or leave it out")
  /// Reports a note that an export could not change.
  public static let noteNotWritten = DiagnosticCode(
    "MKD0119", "note-not-written", .warning, "A note in a vault does not match the library.",
    why: "an export changes a note only if the note's own notation can express the change",
    fix: "edit the note yourself, or export with --rewrite-notes")
  /// Reports a front matter key or value that looks misspelled.
  public static let misspelledFrontMatter = DiagnosticCode(
    "MKD0122", "misspelled-front-matter", .warning, "A front matter key or value looks misspelled.",
    why: "the word is kept as written; unknown keys and types have no effect",
    fix: "use the suggestion; nothing needs to be done if the word is intended")
  /// Reports front matter that does not begin on the first line.
  public static let lateFrontMatter = DiagnosticCode(
    "MKD0123", "late-front-matter", .warning, "The front matter of a note does not begin on the first line.",
    why: "front matter must begin on line 1; anywhere else it is part of the text",
    fix: "move the front matter to line 1")
  /// Reports a date that does not exist.
  public static let impossibleDate = DiagnosticCode(
    "MKD0124", "impossible-date", .warning, "A date in the front matter does not exist.",
    why: "the month does not have that day, or the day does not have that hour; the text is kept with the note",
    fix: "correct the date")
  /// Reports parts of a note that are not in its checklist.
  public static let leftOutOfChecklist = DiagnosticCode(
    "MKD0125", "left-out-of-checklist", .warning, "A part of a note is not in its checklist.",
    why: "comments are hidden, and a table row needs a step; the text is kept with the note",
    fix: "leave a comment as it is; add the missing step to a row, or the missing column for a cell")
  /// Reports a template placeholder that was not replaced.
  public static let templatePlaceholder = DiagnosticCode(
    "MKD0126", "template-placeholder", .warning, "A title in a note contains a template placeholder.",
    why: "the placeholder is read as written; the program that makes notes from templates did not replace it",
    fix: "replace the placeholder, or set the template folder in Obsidian's settings so that it is left out")

  /// Reports a box that was read as text.
  public static let boxInDetails = DiagnosticCode(
    "MKD0120", "box-in-details", .warning, "A box of a checklist is not a step.",
    why: "the titles above the box are too long to precede its title; the box is in the details of the step above",
    fix: "move the box out of the step above, or shorten the titles")
  /// Reports a word after a step that is almost an attribute.
  public static let unknownAttribute = DiagnosticCode(
    "MKD0121", "unknown-attribute", .warning, "A word after a step is probably meant as an attribute.",
    why: "the word is not a known attribute, or has no dot before it, so it stays in the title",
    fix: "write '· required', '· optional', '· 5 min' or '· 1 h' after the title")

  /// All findings about notes.
  package static let markdown = [
    brokenFrontMatter, frontMatterValue, looseDate, languageFromText, inferredKind, uncertainKind,
    ticksInChecklist, otherEncoding, notText, aboutTheFolder, keptWhole, leftAlone, repeatedID, conflictMarkers,
    editedNote, unreadCard, noteTooLarge, noteNotWritten, boxInDetails, unknownAttribute, misspelledFrontMatter,
    lateFrontMatter, impossibleDate, leftOutOfChecklist, templatePlaceholder,
  ]
}
