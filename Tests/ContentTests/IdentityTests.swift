import Content
import Foundation
import TestSupport
import Testing

@Suite struct IdentityTests {
  @Test func derivedIDsAreVersionFiveAndStable() {
    let id = CanonicalUUID.derived(["vault", "anchor.md", "Weigh anchor"])
    #expect(id == CanonicalUUID.derived(["vault", "anchor.md", "Weigh anchor"]))
    #expect(id != CanonicalUUID.derived(["vault", "anchor.md", "Drop anchor"]))
    #expect(CanonicalUUID.form(of: id) == .canonical)
    #expect(Array(id)[14] == "5" && "89AB".contains(Array(id)[19]))
  }

  /// Compares version 5 UUIDs with the UUIDs that Python's uuid module computes.
  @Test(.enabled(if: Shell.has("python3"), "python3 is not there"))
  func agreesWithPython() throws {
    let script =
      "import uuid;n=uuid.uuid5(uuid.NAMESPACE_DNS,'fleetkit.anyfleet.app');print(str(uuid.uuid5(n,'a\\0б')).upper())"
    let answer = try Shell.run("python3", ["-c", script])
    #expect(
      answer.output.trimmingCharacters(in: .whitespacesAndNewlines) == CanonicalUUID.derived(["a", "б"]),
      "\(answer.errors)")
  }

  @Test(arguments: [
    ("3A473796-4407-4338-B2DC-132362E6088A", "canonical"), ("3a473796-4407-4338-b2dc-132362e6088a", "otherCase"),
    ("3A473796-4407-4338-B2DC-132362E6088a", "otherCase"), ("checklist-42", "none"), ("", "none"),
    ("3A473796-4407-4338-B2DC-132362E6088", "none"), ("3A473796x4407-4338-B2DC-132362E6088A", "none"),
  ])
  func knowsForms(_ text: String, _ form: String) { #expect("\(CanonicalUUID.form(of: text))" == form) }

  /// Eight bytes are checked together, but every byte in every position must still count.
  @Test func everyByteCounts() {
    let sound = Array("3A473796-4407-4338-B2DC-132362E6088A".utf8)
    for place in sound.indices {
      for byte in UInt8.min ... .max {
        var text = sound
        text[place] = byte
        let isDash = sound[place] == UInt8(ascii: "-")
        let expected: CanonicalUUID.Form =
          switch byte {
          case UInt8(ascii: "-") where isDash: .canonical
          case _ where isDash: .none
          case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): .canonical
          case UInt8(ascii: "a")...UInt8(ascii: "f"): .otherCase
          default: .none
          }
        #expect(CanonicalUUID.form(of: text.span) == expected, "\(byte) at \(place)")
      }
    }
  }

  @Test func sha256OfNothing() {
    let hash = Digest.sha256([UInt8]().span)
    #expect(Digest.hex(hash) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }
}
