// Foundation knows the tables of Unicode's normal forms; only texts with combining marks come here.
import Foundation

/// Unicode's composed form (NFC), in which й is one scalar and not two.
enum NormalForm {
  /// The text in composed form.
  static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }
}
