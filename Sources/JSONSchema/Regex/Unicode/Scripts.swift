/// The scripts of Unicode with their code points.
enum Scripts {
  private static let ownRanges: [Substring: [ClosedRange<UInt32>]] = {
    var result: [Substring: [ClosedRange<UInt32>]] = [:]
    for entry in UnicodeRanges.entries(of: ScriptTable.text) {
      for name in entry.names { result[name] = entry.ranges }
    }
    // These are the code points without a script.
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

  /// Returns the code points of the script with a long or short name, or nil for a name that Unicode does not define.
  static func ranges(of name: Substring) -> [ClosedRange<UInt32>]? { ownRanges[name] }

  /// Returns the code points that a script uses, including code points that it shares with other scripts
  /// (Script_Extensions).
  static func extendedRanges(of name: Substring) -> [ClosedRange<UInt32>]? {
    guard let own = ownRanges[name] else { return nil }
    guard let longName = longNames[name] else { return own }
    guard longName == "Common" || longName == "Inherited" else {
      return ScalarClass.merged(own + (extensions[longName] ?? []))
    }
    // Code points with script extensions are not common to all scripts, so they are removed.
    let shared = ScalarClass.merged(extensions.values.flatMap { $0 })
    return ScalarClass.complement(of: ScalarClass.complement(of: own) + shared)
  }
}
