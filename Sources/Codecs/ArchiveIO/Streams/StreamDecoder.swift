/// Unpacks one kind of stream.
protocol StreamDecoder: AnyObject {
  /// The number of bytes that are needed to recognize the beginning of a unit.
  var headLength: Int { get }
  /// Whether the decoder is between two units, so that the stream may end here.
  var isBetween: Bool { get }
  /// Examines the beginning of a unit; returns why it cannot be unpacked, or nil.
  func begin(_ head: UnsafeRawBufferPointer) -> String?
  /// Unpacks some bytes.
  /// - Returns: how many bytes were consumed and how many were produced, or what is wrong.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Result<(taken: Int, made: Int), DecodingProblem>
}

/// A problem in a packed stream.
struct DecodingProblem: Error {
  /// Its description.
  let reason: String
  /// Whether the stream is refused for the resources that it needs, not for damage.
  var isRefusal = false
}
