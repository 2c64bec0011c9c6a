/// An answer with status 400 or above, in the form of RFC 9457 if it comes from a registry.
public struct RegistryRefusal: Sendable, Equatable {
  /// A problem in one place of a request.
  public struct Finding: Sendable, Equatable {
    /// The code of the finding, `SCH0403`.
    public var code: String
    /// A JSON Pointer into the body; empty for the whole body.
    public var pointer: String
    /// The problem, in one sentence.
    public var message: String

    /// Creates an instance from its members.
    public init(code: String, pointer: String, message: String) {
      self.code = code
      self.pointer = pointer
      self.message = message
    }
  }

  /// The status of the answer, 400 to 599.
  public var status: Int
  /// The registry's code for programs, `public_id_taken`; nil when the body has no code.
  public var code: String?
  /// The reason, one sentence for people.
  public var detail: String
  /// The problems with their places; empty when the answer names none.
  public var findings: [Finding]
  /// How long to wait before the next request, in seconds; nil when the answer does not specify it.
  public var retryAfter: Double?

  /// Creates an instance from its members.
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
