import Content
import JSONText
import Publishing
import RegistryModel

/// Checks publications that do not come from a request, exactly as `POST /content/share` does. One thread at a time may
/// use an instance.
package final class PublicationCheck {
  private let intake: PublishIntake

  /// Compiles the schemas.
  package init() throws { intake = try PublishIntake() }

  /// Checks a payload.
  /// - Returns: The request in normalised form, or the findings with their places in the payload.
  package func request(
    _ payload: JSONValue, now: Timestamp, mostFindings: Int
  ) -> Result<PublishRequest, PublicationRefusal> {
    switch ContentHandlers.publication(payload, intake, now, at: JSONPointer(), mostFindings: mostFindings) {
    case .success(.publish(let request)): .success(request)
    case .success: .failure(PublicationRefusal(findings: []))
    case .failure(let problem): .failure(PublicationRefusal(findings: problem.findings))
    }
  }
}

/// Why a payload was refused.
package struct PublicationRefusal: Error {
  package let findings: [IntakeFinding]
}
