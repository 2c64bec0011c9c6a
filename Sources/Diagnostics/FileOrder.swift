extension Sequence<Diagnostic> {
  /// The findings file by file, those of one file from its first line to its last.
  ///
  /// Files, and sheets of a workbook, keep the order in which they came; so do findings of one place, and those of
  /// libraries, whose lines are those of a cell. What is said of a whole file stands first.
  public func inFileOrder() -> [Diagnostic] {
    var files: [[UInt8]: Int] = [:]
    let keyed = enumerated().map { number, finding in
      let place = finding.place
      let name = Array(place.file.utf8) + [0] + Array((place.member ?? "").utf8)
      let file = files[name] ?? files.count
      files[name] = file
      let isText = place.row == nil
      return (file, isText ? place.line ?? 0 : 0, isText ? place.column ?? 0 : 0, number, finding)
    }
    return keyed.sorted { ($0.0, $0.1, $0.2, $0.3) < ($1.0, $1.1, $1.2, $1.3) }.map(\.4)
  }
}
