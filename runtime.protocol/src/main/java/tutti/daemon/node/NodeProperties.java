package tutti.daemon.node;

/**
 * Names of the framework properties that configure the node of a container, and of the properties of the service that the node registers when it
 * listens or cannot.
 *
 * <p>A launcher needs nothing else: it waits for a service with {@link #ADDRESS} or {@link #FAILURE}, and a node that is told to stop stops the
 * framework. The names are the interface, so a launcher on the class path and the bundles share no class.
 */
public final class NodeProperties {
    /** Framework property and service property: the node's name. */
    public static final String NAME = "tutti.node.name";
    /** Framework property: the address to listen on, {@code HOST:PORT}. */
    public static final String LISTEN = "tutti.node.listen";
    /** Framework property: the node's folder. */
    public static final String DIR = "tutti.node.dir";
    /** Framework property: a file with the rules of the jobs that this node launches; by default they have no rules. */
    public static final String RULES = "tutti.node.rules";
    /** Framework property: {@code true} for a node that prepares for its first job while it is idle; by default it does not. */
    public static final String WARM_UP = "tutti.node.warmup";
    /** Service property: the address on which the node listens, {@code HOST:PORT}; missing when it does not. */
    public static final String ADDRESS = "tutti.node.address";
    /** Service property: one line that says why the node cannot listen; missing when it listens. */
    public static final String FAILURE = "tutti.node.failure";

    private NodeProperties() {}
}
