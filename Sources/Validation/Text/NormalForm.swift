// Foundation knows the tables of Unicode's normal forms; only texts with combining marks come here.
import Foundation

/// Unicode's composed form (NFC), in which й is one scalar and not two.
package enum NormalForm {
  /// The text in composed form.
  package static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }
}
