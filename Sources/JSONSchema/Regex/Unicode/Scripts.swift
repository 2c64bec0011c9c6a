/// The scripts of Unicode with their code points.
enum Scripts {
  private static let ownRanges: [Substring: [ClosedRange<UInt32>]] = {
    var result: [Substring: [ClosedRange<UInt32>]] = [:]
    for entry in UnicodeRanges.entries(of: ScriptTable.text) {
      for name in entry.names { result[name] = entry.ranges }
    }
    // What has no script yet.
    let unknown = ScalarClass.complement(of: result.values.flatMap { $0 })
    for name in ["Unknown", "Zzzz"] as [Substring] { result[name] = unknown }
    return result
  }()

  private static let longNames: [Substring: Substring] = {
    var result: [Substring: Substring] = [:]
    for entry in UnicodeRanges.entries(of: ScriptTable.text) {
      for name in entry.names { result[name] = entry.names[0] }
    }
    return result
  }()

  private static let extensions: [Substring: [ClosedRange<UInt32>]] = {
    var result: [Substring: [ClosedRange<UInt32>]] = [:]
    for entry in UnicodeRanges.entries(of: ScriptExtensionTable.text) { result[entry.names[0]] = entry.ranges }
    return result
  }()

  /// The code points of a script by its long or short name; nil for a name that Unicode does not have.
  static func ranges(of name: Substring) -> [ClosedRange<UInt32>]? { ownRanges[name] }

  /// The code points that a script uses, those included that it shares with others (Script_Extensions).
  static func extendedRanges(of name: Substring) -> [ClosedRange<UInt32>]? {
    guard let own = ownRanges[name] else { return nil }
    guard let longName = longNames[name] else { return own }
    guard longName == "Common" || longName == "Inherited" else {
      return ScalarClass.merged(own + (extensions[longName] ?? []))
    }
    // What some scripts share is theirs, and no longer everybody's.
    let shared = ScalarClass.merged(extensions.values.flatMap { $0 })
    return ScalarClass.complement(of: ScalarClass.complement(of: own) + shared)
  }
}
