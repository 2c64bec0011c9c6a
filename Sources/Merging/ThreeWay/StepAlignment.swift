import JSONText

/// Gives sections, steps and cards of one version of a record the ids that the same things have in another one.
///
/// Where a source gives no ids they are made of titles, and change with them. Ids that somebody gave are never changed.
package final class StepAlignment {
  private let overlay = RecordOverlay()

  package init() {}

  /// A version with the other one's ids; nil when it has them already. Both must stay valid during the call.
  package func align(_ version: JSONNode, to other: JSONNode) -> [UInt8]? {
    overlay.apply(version, over: other, said: nil, extent: .whole).map { Array($0) }
  }
}
