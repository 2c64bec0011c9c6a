import Content

/// Signs AWS requests with Signature Version 4. Paths must be sent exactly as they are signed, without a query.
///
/// - Source: AWS General Reference, "Signature Version 4 signing process"
package struct AWSSignature: Sendable {
  /// The signer's credentials.
  package struct Credentials: Sendable {
    /// The id of the access key, which is sent with each request.
    package var accessKey: String
    /// The secret key, which is never sent.
    package var secretKey: String
    /// The session token of temporary credentials, which is sent with each request; nil for permanent credentials.
    package var sessionToken: String?

    /// Creates credentials.
    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
      self.accessKey = accessKey
      self.secretKey = secretKey
      self.sessionToken = sessionToken
    }
  }

  /// The request to be signed.
  package struct Request: Sendable {
    /// The HTTP method, such as `POST`.
    package var method: String
    /// The path as it is sent, such as `/`.
    package var path: String
    /// All header fields that are signed, including `Host` and `X-Amz-Date`.
    package var fields: [(name: String, value: String)]
    /// The body, which may be empty.
    package var body: [UInt8]

    /// Creates a request.
    package init(_ method: String, _ path: String, fields: [(name: String, value: String)], body: [UInt8]) {
      self.method = method
      self.path = path
      self.fields = fields
      self.body = body
    }
  }

  private let credentials: Credentials
  private let region: String
  private let service: String

  /// Prepares signatures for a service in a region.
  package init(_ credentials: Credentials, region: String, service: String) {
    self.credentials = credentials
    self.region = region
    self.service = service
  }

  /// Returns the value of the `Authorization` header.
  /// - Parameter time: the value of `X-Amz-Date`, such as `20150830T123600Z`.
  package func authorization(_ request: Request, time: String) -> String {
    let scope = scope(time)
    var key = Array("AWS4\(credentials.secretKey)".utf8)
    for part in scope.split(separator: "/") { key = Self.hmac(Array(part.utf8), key: key) }
    let signature = Self.hmac(Array(stringToSign(request, time: time).utf8), key: key)
    return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), "
      + "SignedHeaders=\(Self.signedNames(request)), Signature=\(Digest.hex(signature))"
  }

  /// Returns the string that is signed.
  package func stringToSign(_ request: Request, time: String) -> String {
    "AWS4-HMAC-SHA256\n\(time)\n\(scope(time))\n\(Self.hash(Array(Self.canonical(request).utf8)))"
  }

  /// Returns the request in the canonical form that AWS uses to check the signature.
  package static func canonical(_ request: Request) -> String {
    let fields = byName(request).map { "\($0.name):\($0.values.joined(separator: ","))\n" }.joined()
    return "\(request.method)\n\(request.path)\n\n\(fields)\n\(signedNames(request))\n\(hash(request.body))"
  }

  private func scope(_ time: String) -> String { "\(time.prefix(8))/\(region)/\(service)/aws4_request" }

  private static func signedNames(_ request: Request) -> String {
    byName(request).map(\.name).joined(separator: ";")
  }

  /// Returns the fields, sorted by name. Fields with the same name keep their order.
  private static func byName(_ request: Request) -> [(name: String, values: [String])] {
    var values: [String: [String]] = [:]
    for field in request.fields {
      let words = field.value.split { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r\n" }
      values[field.name.lowercased(), default: []].append(words.joined(separator: " "))
    }
    return values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
  }

  private static func hash(_ bytes: [UInt8]) -> String { Digest.hex(bytes.withUnsafeBufferPointer(Digest.sha256)) }

  /// Computes an HMAC with SHA-256.
  ///
  /// - Source: RFC 2104
  static func hmac(_ text: [UInt8], key: [UInt8]) -> [UInt8] {
    let block = 64
    let short = key.count > block ? key.withUnsafeBufferPointer(Digest.sha256) : key
    let full = short + [UInt8](repeating: 0, count: block - short.count)
    let inner = (full.map { $0 ^ 0x36 } + text).withUnsafeBufferPointer(Digest.sha256)
    return (full.map { $0 ^ 0x5C } + inner).withUnsafeBufferPointer(Digest.sha256)
  }
}
