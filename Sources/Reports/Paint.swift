import Diagnostics

/// Colours of a terminal, or none.
struct Paint {
  let isOn: Bool

  func severity(_ text: String, _ severity: Severity) -> String {
    switch severity {
    case .error: paint(text, "31")
    case .warning: paint(text, "33")
    case .note: paint(text, "36")
    }
  }

  func dim(_ text: String) -> String { paint(text, "2") }

  private func paint(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
