extension DiagnosticCode {
  /// A title of nothing but blanks.
  public static let blankTitle = DiagnosticCode(
    "INT0101", "title-of-blanks", .error, "The title of what is published is blank.",
    why: "nobody could find it in a list", fix: "give it a title of 3 to 100 characters")
  /// A NUL character in a text.
  public static let nulCharacter = DiagnosticCode(
    "INT0102", "nul-character", .error, "A text has a NUL character in it.",
    why: "databases cannot hold it, and programs take it for the end of the text", fix: "remove \\u0000")
  /// Values inside of values inside of values.
  public static let bodyTooDeep = DiagnosticCode(
    "INT0103", "body-too-deep", .error, "The values of a request nest too deeply.",
    why: "no document of the app is that deep, so a registry reads no further", fix: "nest at most 64 levels")
  /// A document in a string that cannot be taken out of it.
  public static let documentInString = DiagnosticCode(
    "INT0104", "document-in-string", .error, "content_data is a string that holds no JSON object.",
    why: "a registry stores the document, not its text", fix: "send the document itself, as an object")
  /// A change of type that leaves the document as it is.
  public static let typeWithoutDocument = DiagnosticCode(
    "INT0105", "type-without-document", .error, "A change has another content type and no document of it.",
    why: "the document that is there has the shape of its own type, and the app could not open it as another",
    fix: "send content_data as well, or leave content_type out")
  /// A number that does not fit anywhere.
  public static let numberTooLarge = DiagnosticCode(
    "INT0106", "number-too-large", .error, "A number is larger than programs can hold.",
    why: "the app could not decode the document", fix: "write a number below 1e308")
  /// There is more than is listed.
  public static let moreInRequest = DiagnosticCode(
    "INT0107", "more-in-request", .error, "A request has more findings than are listed.",
    why: "a list without end helps nobody", fix: "correct those that are listed and send the request again")
  /// A document with the body of another type and none of its own.
  public static let documentOfOtherType = DiagnosticCode(
    "INT0108", "document-of-other-type", .error, "The document is of another type than content_type says.",
    why: "the item would come out empty, and what is in the document could not be seen",
    fix: "send a document of that type: sections in a checklist, markdown in a practice guide, cards in a deck")
  /// A change that would let others make copies, or no longer let them.
  public static let forkingIsFixed = DiagnosticCode(
    "INT0109", "forking-is-fixed", .error, "A change has another can_fork than what is published.",
    why: "others may have made copies in reliance on it, so it is decided once, when an item is published",
    fix: "leave can_fork out of the change; to forbid copies, unpublish the item and publish it again")
  /// Two parts of a document with one id.
  public static let idTwice = DiagnosticCode(
    "INT0110", "id-twice", .error, "Two sections, items or cards of a document have the same id.",
    why: "the app keeps ticks and reviews by these ids, so one of the two would stand for both",
    fix: "give each an id of its own, or leave the ids out: then they are derived")

  static let intake = [
    blankTitle, nulCharacter, bodyTooDeep, documentInString, typeWithoutDocument, numberTooLarge, moreInRequest,
    documentOfOtherType, forkingIsFixed, idTwice,
  ]
}
