package tutti.daemon.node;

/**
 * Names by which a container's node is configured, and the properties of the service that the node registers when it listens or cannot.
 *
 * <p>A node is configured by Config Admin under {@link #PID}, by framework properties, or by both. The configuration's attributes have the names
 * of the framework properties without {@link #PREFIX}; an attribute takes precedence over the framework property.
 *
 * <p>A launcher needs nothing else: it sets framework properties and waits for a service with {@link #ADDRESS} or {@link #FAILURE}. The names are
 * the interface, so a launcher on the class path and the bundles share no class.
 */
public final class NodeProperties {
    /** PID of the node's configuration. */
    public static final String PID = "tutti.node";
    /** Prefix of the framework properties. */
    public static final String PREFIX = PID + ".";
    /** Framework property and service property: the node's name. A container without it has no node. */
    public static final String NAME = PREFIX + "name";
    /** Framework property: the address to listen on, {@code HOST:PORT}; by default a free port on loopback. */
    public static final String LISTEN = PREFIX + "listen";
    /** Framework property: the address at which other nodes reach it, {@code HOST} or {@code HOST:PORT}; by default the one on which it listens. */
    public static final String ADVERTISE = PREFIX + "advertise";
    /** Framework property: addresses of nodes to form a cluster with, with commas between them; by default none. */
    public static final String JOIN = PREFIX + "join";
    /**
     * Framework property: how the node finds others by itself: {@code list}, {@code file:FOLDER}, {@code multicast:ADDRESS:PORT} or
     * {@code dns:NAME}; by default by the list of nodes to join.
     */
    public static final String DISCOVERY = PREFIX + "discovery";
    /** Framework property: the ports of which the node takes a free one where the port to listen on is 0, {@code PORT} or {@code FIRST-LAST}. */
    public static final String PORTS = PREFIX + "ports";
    /** Framework property: time without a sign of life after which a node is suspected whose host does not answer, in milliseconds; default 4000. */
    public static final String SILENCE = PREFIX + "silence";
    /** Framework property: the node's folder; by default one in the storage of the framework. */
    public static final String FOLDER = PREFIX + "folder";
    /** Framework property: a file with the rules of the jobs that this node launches; by default they have no rules. */
    public static final String RULES = PREFIX + "rules";
    /**
     * Framework property: names of the switches that connect the node's host to others, the nearest first, with commas between them; by default they
     * are not known.
     */
    public static final String SWITCHES = PREFIX + "switches";
    /** Framework property: a file like Slurm's {@code topology.conf} that tells the switches of all nodes by name; in place of switches. */
    public static final String TOPOLOGY = PREFIX + "topology";
    /** Framework property: {@code true} for a node that prepares for its first job while it is idle; by default it does not. */
    public static final String WARM_UP = PREFIX + "warmup";
    /** Framework property: most ranks of one job on this node; by default 8192. */
    public static final String RANKS = PREFIX + "ranks";
    /** Framework property: most jobs at once that the node coordinates or has a part of; by default 256. */
    public static final String JOBS = PREFIX + "jobs";
    /** Framework property: most jobs that have ended which the node remembers; by default 1000. */
    public static final String HISTORY = PREFIX + "history";
    /**
     * Framework property: most bytes of traces and reports of jobs which the node keeps in memory for the live page, those of the newest jobs; by
     * default 64 MiB.
     */
    public static final String MEASUREMENTS = PREFIX + "measurements";
    /** Framework property: most modules that are installed on the node; by default 256. */
    public static final String MODULES = PREFIX + "modules";
    /**
     * Framework property: most links that commands and other nodes have open to the node, by default 4096. Commands may have three quarters of them,
     * and links between ranks do not count.
     */
    public static final String CONNECTIONS = PREFIX + "connections";
    /** Framework property: time after which such a link is closed on which nothing happens, in milliseconds; by default 120000. */
    public static final String IDLE = PREFIX + "idle";
    /**
     * Framework property: most bytes of messages in memory that have not arrived whole, or that their receivers do not read, of all links of commands
     * and nodes; by default 64 MiB.
     */
    public static final String MESSAGES = PREFIX + "messages";
    /** Framework property: number of job JVMs that the node keeps ready; by default 2. */
    public static final String JVMS = PREFIX + "jvms";
    /** Framework property: most jobs of one owner that a job JVM serves, one after the other; by default 100. */
    public static final String REUSE = PREFIX + "reuse";
    /** Framework property: heap of a job JVM, for example {@code 512m}; by default as that of the node. */
    public static final String JOB_HEAP = PREFIX + "job.heap";
    /** Framework property: direct memory of a job JVM, for example {@code 128m}; by default as that of the node. */
    public static final String JOB_DIRECT = PREFIX + "job.direct";
    /** Framework property: most platform threads of a job JVM; by default 4352, and one per rank. */
    public static final String JOB_THREADS = PREFIX + "job.threads";
    /** Framework property: most open files and sockets of a job JVM; by default as those of the node. */
    public static final String JOB_FILES = PREFIX + "job.files";
    /** Framework property: most cores that a job JVM uses; by default those of the node. */
    public static final String JOB_CPU = PREFIX + "job.cpu";
    /**
     * Framework property: {@code true} for a node that serves one run and ends with it: its own JVM runs the ranks, unless the job wants JVMs for
     * them; by default a node serves any number of jobs.
     */
    public static final String ONE_RUN = PREFIX + "onerun";
    /**
     * Framework property: file with the secret of the cluster for nodes, or {@code none} for a node on which everybody may do everything; by default
     * the file of the user who runs the node.
     */
    public static final String SECRET = PREFIX + "secret";
    /** Framework property: {@code true} for a node that may listen beyond loopback although everybody may do everything on it. */
    public static final String INSECURE = PREFIX + "insecure";
    /**
     * Framework property: file with the certificates whose holders may sign modules, in PEM format; by default modules need not be signed.
     */
    public static final String SIGNERS = PREFIX + "signers";
    /** Framework property: what a request to stop the node stops, {@code node} or {@code framework}; by default the node. */
    public static final String STOP = PREFIX + "stop";
    /** {@code process} when the process ends with its framework; for the transport, which then closes links of commands last. */
    public static final String END = "tutti.tcp.end";
    /** Framework property: schemes of transports that a container of the distribution starts besides its own, for example {@code ucx}. */
    public static final String TRANSPORTS = "tutti.transports";
    /** Framework property: port of the live page on loopback, 0 for any free one; by default there is no page. */
    public static final String PAGE_PORT = "tutti.web.port";
    /** Service property of the live page: the address on which it is served, {@code HOST:PORT}. */
    public static final String PAGE_ADDRESS = "tutti.web.address";
    /** Service property: the address on which the node listens, {@code HOST:PORT}; missing when it does not. */
    public static final String ADDRESS = PREFIX + "address";
    /** Service property: one line that says why the node cannot listen; missing when it listens. */
    public static final String FAILURE = PREFIX + "failure";
    /**
     * Service property: {@code true} when the node has joined the cluster of one of the nodes to join, or need not, since there are none or it is
     * one of them; missing before.
     */
    public static final String JOINED = PREFIX + "joined";
    /** Service property: one line that says why the last attempt to join failed, which is repeated. */
    public static final String NOT_JOINED = PREFIX + "notjoined";
    /** Service property: one line with the reason of a node to join that refuses this one. */
    public static final String REFUSED = PREFIX + "refused";

    private NodeProperties() {}
}
