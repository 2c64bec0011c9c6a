/// What the comment of a step or a section says must have the right form, or the comment is no comment of ours.
enum StepAttributes {
  /// Whether every key has a value of its kind.
  static func areSound(_ attributes: CommentAttributes) -> Bool {
    attributes.values.allSatisfy { key, _ in
      switch key {
      case "id", "icon", "title", "details", "description": attributes.text(key) != nil
      case "collapsed", "required", "optional": attributes.flag(key) != nil
      case "tags": attributes.texts(key) != nil
      case "members": attributes.inside(key) != nil
      default: true
      }
    }
  }
}
