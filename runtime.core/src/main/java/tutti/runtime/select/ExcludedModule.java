package tutti.runtime.select;

/**
 * A module that a job does not use although a node holds it.
 *
 * @param module name, and version where it is one
 * @param reason for people, {@code missing on node n3} for one
 */
public record ExcludedModule(String module, String reason) { }
