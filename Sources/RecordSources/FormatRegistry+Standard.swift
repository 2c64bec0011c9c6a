import CSV
import ContentPack
import Interchange
import JSONBundle
import Markdown
import PlainText
import SQLiteLibrary
import Spreadsheet
import Todoist

extension FormatRegistry {
  /// Every format that FleetKit has; a new one is one more line here.
  public static let standard = FormatRegistry([
    SQLiteLibraryFormat(),
    lines,
    document,
    notes,
    TodoistFormat(notes: notes),
    CSVFormat(notes: notes),
    SpreadsheetFormat(notes: notes),
    PlainTextFormat(notes: notes),
    ContentPackFormat(lines: lines, document: document, notes: notes, library: SQLiteLibraryFormat()),
  ])

  private static let lines = JSONBundleFormat(.lines)
  private static let document = JSONBundleFormat(.document)
  private static let notes = MarkdownFormat(bundle: lines)
}
