import Content
import JSONText

/// The members that a source can say, and what tells them from those of other sources in a hash.
struct SaidSource {
  /// Which one it is of those that a run has met.
  let number: Int
  let members: SaidMembers
  private let key: [UInt8]

  init(number: Int, _ members: SaidMembers) {
    self.number = number
    self.members = members
    var key = ByteBuffer()
    for names in [members.item, members.document, members.section, members.step] {
      for name in names.sorted() {
        key.append(utf8: name)
        key.append(UInt8(ascii: ","))
      }
      key.append(UInt8(ascii: ";"))
    }
    self.key = Array(key.bytes)
  }

  /// The hash of what such a source says in a line.
  /// - Parameter extent: how much of the record it says.
  func hash(_ line: UnsafeBufferPointer<UInt8>, _ extent: StepPlan.Extent) -> [UInt8] {
    var digest = DigestStream()
    digest.update(line)
    key.withUnsafeBufferPointer { digest.update($0) }
    if extent != .whole { digest.update(UnsafeBufferPointer(rebasing: line.prefix(1))) }
    return digest.finish()
  }
}
