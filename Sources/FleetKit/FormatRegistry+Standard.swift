import CSV
import ContentPack
import FleetKitCore
import Markdown
import PlainText
import Todoist

extension FormatRegistry {
  /// Every format that FleetKit has; a new one is one more line here.
  public static let standard = FormatRegistry([
    SQLiteLibraryFormat(),
    JSONBundleFormat(.lines),
    JSONBundleFormat(.document),
    MarkdownFormat(bundle: JSONBundleFormat(.lines)),
    TodoistFormat(notes: MarkdownFormat(bundle: JSONBundleFormat(.lines))),
    CSVFormat(notes: MarkdownFormat(bundle: JSONBundleFormat(.lines))),
    PlainTextFormat(notes: MarkdownFormat(bundle: JSONBundleFormat(.lines))),
    ContentPackFormat(
      lines: JSONBundleFormat(.lines), document: JSONBundleFormat(.document),
      notes: MarkdownFormat(bundle: JSONBundleFormat(.lines)), library: SQLiteLibraryFormat()),
  ])
}
