import Content
import Diagnostics
import Interchange
import JSONText

/// The members that say which version a bundle has and who may read it.
enum BundleHeader {
  /// Checks a header.
  /// - Throws: `RunFailure` with status 6 when the bundle asks for a newer reader, 2 when it is no bundle.
  static func check(_ header: JSONValue, place: Place, _ context: RunContext) throws {
    if let twice = header.duplicateName {
      throw RunFailure(.duplicateMember, "the header has the member \(twice.text) twice", at: place)
    }
    func at(_ name: String) -> Place {
      var place = place
      place.pointer = "/" + name
      return place
    }
    for (name, _) in header.members where name != "kind" && !BundleLists.headerNames.contains(name) {
      context.losses.record(
        RecordKind("bundle"), id: "", field: "/" + name, reason: "members of a header that FleetKit does not know")
    }
    if let format = header["format"], format.string != JSONBundleFormat.formatName {
      throw RunFailure(
        .notABundle, "the format is \(format.text), not \"\(JSONBundleFormat.formatName)\"", at: at("format"),
        advice: "Name the right format with --from-format.")
    }
    var version: Int64 = 1
    if let member = header["version"] {
      guard let number = member.integer else {
        throw RunFailure(.typeMismatch, "'version' must be a whole number, not \(member.text)", at: at("version"))
      }
      version = number
    }
    var minimum: Int64 = 1
    if let member = header["min_reader"], !member.isNull {
      guard let number = member.integer else {
        throw RunFailure(.typeMismatch, "'min_reader' must be a whole number, not \(member.text)", at: at("min_reader"))
      }
      minimum = number
    }
    if minimum > JSONBundleFormat.version {
      throw RunFailure(
        .newer,
        "\(place): this bundle needs a reader of version \(minimum); this one has "
          + "\(JSONBundleFormat.version)", advice: "Update FleetKit.")
    }
    if version > JSONBundleFormat.version {
      context.findings.report(Diagnostic(.newerBundle, "the bundle has version \(version)", at: place))
    }
  }
}
