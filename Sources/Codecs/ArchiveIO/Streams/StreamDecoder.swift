/// Unpacks one kind of stream.
protocol StreamDecoder: AnyObject {
  /// How many bytes must be there to see that something begins.
  var headLength: Int { get }
  /// Whether nothing is begun, so that the stream may end here.
  var isBetween: Bool { get }
  /// Looks at what begins; answers why it cannot be unpacked, or nil.
  func begin(_ head: UnsafeRawBufferPointer) -> String?
  /// Unpacks some bytes.
  /// - Returns: how many were taken and how many came out, or what is wrong.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Result<(taken: Int, made: Int), DecodingProblem>
}

/// What is wrong with a packed stream.
struct DecodingProblem: Error {
  /// In words.
  let reason: String
  /// Whether it is refused for what it would take, not for damage.
  var isRefusal = false
}
