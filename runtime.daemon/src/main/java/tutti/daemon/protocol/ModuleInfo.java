package tutti.daemon.protocol;

/**
 * A collective module that is active on a node.
 *
 * @param name    of the module
 * @param version in OSGi's syntax
 * @param sha256  of the bundle file's bytes, in hex; empty where the file cannot be read any more
 * @param bundle  symbolic name of the bundle
 */
public record ModuleInfo(String name, String version, String sha256, String bundle) {
}
