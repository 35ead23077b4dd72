package tutti.runtime.module;

/**
 * A module that a job does not use although a node holds it.
 *
 * @param module name of the module, with its version where that is known
 * @param reason the reason as text, for example {@code missing on node n3}
 */
public record ExcludedModule(String module, String reason) {}
