/// Where an inner id is derived from: the ids of the objects around it, outermost first.
///
/// Same titles under the same parent are told apart by their number, so that a step inserted elsewhere never
/// changes the id of another.
struct DerivedScope {
  /// The id of the section around an item, or nil.
  var parent: String?
  /// How many siblings before had the same title.
  var repeats = 0
}
