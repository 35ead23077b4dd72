package tutti.daemon.protocol;

/** Names of the framework properties that configure the node of a container. */
public final class NodeProperties {
    /** The node's name. */
    public static final String NAME = "tutti.node.name";
    /** The address to listen on, {@code HOST:PORT}. */
    public static final String LISTEN = "tutti.node.listen";
    /** The node's folder. */
    public static final String DIR = "tutti.node.dir";
    /** A file with the rules of the jobs that this node launches; by default they have no rules. */
    public static final String RULES = "tutti.node.rules";

    private NodeProperties() {}
}
