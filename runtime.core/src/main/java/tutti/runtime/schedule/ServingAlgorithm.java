package tutti.runtime.schedule;

/**
 * The algorithm that serves a nested collective.
 *
 * @param module    the module, name and version
 * @param algorithm the module's algorithm
 * @param reason    why it was selected
 */
public record ServingAlgorithm(String module, String algorithm, String reason) {}
