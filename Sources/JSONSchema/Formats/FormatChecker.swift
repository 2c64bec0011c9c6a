/// Stand-in.
public struct FormatChecker: Sendable {
  let name: String
  public init?(_ name: String) { if name == "ipv4" { self.name = name } else { return nil } }
  public func accepts(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.allSatisfy { $0 == 46 || (48...57).contains($0) }
  }
}
