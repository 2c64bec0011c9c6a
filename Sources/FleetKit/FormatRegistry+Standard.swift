import FleetKitCore
import Markdown

extension FormatRegistry {
  /// Every format that FleetKit has; a new one is one more line here.
  public static let standard = FormatRegistry([
    SQLiteLibraryFormat(),
    JSONBundleFormat(.lines),
    JSONBundleFormat(.document),
    MarkdownFormat(bundle: JSONBundleFormat(.lines)),
  ])
}
