/// An answer with status 400 or above: RFC 9457, as a registry writes it.
public struct RegistryRefusal: Sendable, Equatable {
  /// A problem at one place of a request.
  public struct Finding: Sendable, Equatable {
    /// The code of the finding, `SCH0403`.
    public var code: String
    /// JSON Pointer into the body; empty for the body as a whole.
    public var pointer: String
    /// The problem, in one sentence.
    public var message: String

    /// Makes it from its parts.
    public init(code: String, pointer: String, message: String) {
      self.code = code
      self.pointer = pointer
      self.message = message
    }
  }

  /// The status of the answer, 400 to 599.
  public var status: Int
  /// The registry's code for programs, `public_id_taken`; nil when the body has none.
  public var code: String?
  /// One sentence for people.
  public var detail: String
  /// Where and why; empty when the answer has none.
  public var findings: [Finding]
  /// How long to wait before asking again, in seconds; nil when the answer does not specify it.
  public var retryAfter: Double?

  /// Makes it from its parts.
  public init(
    status: Int, code: String? = nil, detail: String, findings: [Finding] = [], retryAfter: Double? = nil
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.findings = findings
    self.retryAfter = retryAfter
  }
}
