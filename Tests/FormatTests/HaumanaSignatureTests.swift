import Foundation
import Haumana
import TestSupport
import Testing

/// AWS Signature Version 4, compared with the test vectors that AWS publishes.
@Suite struct HaumanaSignatureTests {
  private static let folder = Paths.root + "/Tests/Fixtures/haumana/aws4/"
  private static let cases = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(".req") }.map { String($0.dropLast(4)) }.sorted()

  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder + name, encoding: .utf8).replacing("\r\n", with: "\n")
  }

  /// Parses a request of the suite: a request line, header fields that may be folded, and a body after an empty line.
  private static func request(_ text: String) throws -> AWSSignature.Request {
    let parts = text.split(separator: "\n\n", maxSplits: 1)
    var lines = parts[0].split(separator: "\n")
    let start = lines.removeFirst().split(separator: " ")
    var fields: [(name: String, value: String)] = []
    for line in lines {
      if line.hasPrefix(" "), let last = fields.indices.last {
        fields[last].value += "\n" + line
        continue
      }
      let colon = try #require(line.firstIndex(of: ":"))
      fields.append((String(line[..<colon]), String(line[line.index(after: colon)...])))
    }
    return AWSSignature.Request(
      String(start[0]), String(start[1]), fields: fields, body: parts.count > 1 ? Array(parts[1].utf8) : [])
  }

  @Test func thereAreVectors() { #expect(Self.cases.count == 14) }

  @Test(arguments: cases) func requestsAreSigned(_ name: String) throws {
    var request = try Self.request(Self.text(name + ".req"))
    // A token that the suite passes to the signer occurs only in the expected result.
    let field = "x-amz-security-token"
    let token = try Self.text(name + ".creq").split(separator: "\n").first { $0.hasPrefix(field + ":") }
    if let token, !request.fields.contains(where: { $0.name.lowercased() == field }) {
      request.fields.append((field, String(token.dropFirst(field.count + 1))))
    }
    let time = "20150830T123600Z"
    let signature = AWSSignature(
      AWSSignature.Credentials(accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1", service: "service")
    #expect(AWSSignature.canonical(request) == (try Self.text(name + ".creq")))
    #expect(signature.stringToSign(request, time: time) == (try Self.text(name + ".sts")))
    #expect(signature.authorization(request, time: time) == (try Self.text(name + ".authz")))
  }
}
