import Content
import Diagnostics
import JSONText

/// A charter's position exists on Earth.
///
/// Latitudes range from -90 to 90, longitudes from -180 to 180, and a position needs both. Zero for both is a position
/// in the Gulf of Guinea, but usually means that a form was not filled in.
///
/// ```json bad /latitude
/// [{"kind": "charter", "name": "Kornati", "latitude": 143.7859, "longitude": 15.6463}]
/// ```
///
/// ```json bad /longitude /latitude /latitude
/// [{"kind": "charter", "name": "Kornati", "latitude": 43.7859, "longitude": -181},
///  {"kind": "charter", "name": "Ionian", "latitude": 38.8},
///  {"kind": "charter", "name": "Sochi", "latitude": 0, "longitude": 0.0}]
/// ```
///
/// ```json good
/// [{"kind": "charter", "name": "Greenwich", "latitude": 51.48, "longitude": 0},
///  {"kind": "charter", "name": "Anywhere", "latitude": null, "longitude": null}]
/// ```
struct PositionIsOnEarth: Rule {
  static let code = DiagnosticCode(
    "LNT0802", "impossible-position", .warning, "A charter's position is impossible.",
    why: "the map shows the charter in the wrong place or not at all",
    fix: "correct the latitude and longitude, or delete both")

  init(limits: RuleLimits) {}

  mutating func check(_ record: JSONNode, kind: RecordKind, _ report: RuleReport) {
    guard kind == .charter else { return }
    let latitude = record.member("latitude").flatMap { $0.isNull ? nil : $0 }
    let longitude = record.member("longitude").flatMap { $0.isNull ? nil : $0 }
    guard let latitude, let longitude else {
      if let only = latitude ?? longitude {
        report.finding(latitude == nil ? "the latitude is missing" : "the longitude is missing", at: only)
      }
      return
    }
    guard let north = latitude.double, let east = longitude.double else { return }
    let isNorthWrong = !(-90...90).contains(north)
    let isEastWrong = !(-180...180).contains(east)
    if isNorthWrong { report.finding("the latitude is \(Quotation.of(latitude)); the maximum is 90", at: latitude) }
    if isEastWrong { report.finding("the longitude is \(Quotation.of(longitude)); the maximum is 180", at: longitude) }
    if north == 0, east == 0 {
      report.finding("the position is 0, 0, which usually means that it was not set", at: latitude)
    }
  }
}
