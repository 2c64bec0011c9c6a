/// Unpacks one kind of stream.
protocol StreamDecoder: AnyObject {
  /// The number of bytes that are needed to recognize the beginning of a unit.
  var headLength: Int { get }
  /// Whether the decoder is between two units, so that the stream may end here.
  var isBetween: Bool { get }
  /// Examines the beginning of a unit. Returns the reason why the unit cannot be unpacked, or nil if it can.
  func begin(_ head: UnsafeRawBufferPointer) -> String?
  /// Unpacks some bytes.
  /// - Returns: the numbers of bytes that were consumed and produced, or the problem.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Result<(taken: Int, made: Int), DecodingProblem>
}

/// A problem in a packed stream.
struct DecodingProblem: Error {
  /// The description of the problem.
  let reason: String
  /// Whether the stream is rejected because of the resources that it needs, not because of damage.
  var isRefusal = false
}
