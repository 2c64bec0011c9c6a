/// The files that findings point into, a few of them open at a time.
final class SourceFiles {
  private static let limit = 8
  /// The last one that was asked for stands last; a file that cannot be read stays known as such.
  private var open: [(path: String, file: SourceFile?)] = []

  /// Up to `limit` characters of a line; nil when the file cannot be read, was changed, or has no such place.
  func line(_ line: Int, of path: String, from column: Int, limit: Int) -> SourceLine? {
    let file: SourceFile?
    if let index = open.lastIndex(where: { $0.path == path }) {
      let entry = open.remove(at: index)
      open.append(entry)
      file = entry.file
    } else {
      file = SourceFile(path: path)
      if open.count == Self.limit { open.removeFirst() }
      open.append((path, file))
    }
    return file?.line(line, from: column, limit: limit)
  }
}
