package tutti.daemon.settings;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.node.NodeProperties;

/**
 * Attributes of configuration {@code tutti.node}. An attribute that the configuration lacks is read from the framework property
 * {@code tutti.node.ATTRIBUTE}.
 */
@ObjectClassDefinition(id = NodeProperties.PID, name = "Tutti node",
    description = "The node of this container. A change restarts the node and ends its jobs; the framework goes on.")
@interface NodeConfiguration {
    /** The address on which a node listens by default: a free port on loopback. */
    String LISTEN = "127.0.0.1:0";

    /** By default a node finds only the nodes that it joins. */
    String DISCOVERY = "list";

    /** Number of job JVMs that a node keeps ready by default. */
    int JVMS = 2;

    /** Most jobs of one owner that a job JVM serves by default. */
    int REUSE = 100;

    /** Number of jobs that have ended which a node remembers by default. */
    int HISTORY = 1_000;

    /** Bytes of traces and reports of jobs that a node keeps by default. */
    int MEASUREMENTS = 67_108_864;

    @AttributeDefinition(name = "Name", description = "the node's name, unique in its cluster; a container without it has no node", required = false)
    String name();

    @AttributeDefinition(name = "Listen", description = "address to listen on, HOST:PORT; port 0 is any free port", required = false)
    String listen() default LISTEN;

    @AttributeDefinition(name = "Ports", description = "ports of which the node takes a free one where the port to listen on is 0, and where JVMs of "
        + "jobs listen, PORT or FIRST-LAST; by default any", required = false)
    String ports() default "";

    @AttributeDefinition(name = "Advertise",
        description = "address at which other nodes reach this one, HOST or HOST:PORT; by default the one on which "
            + "it listens",
        required = false)
    String advertise() default "";

    @AttributeDefinition(name = "Join", description = "addresses of nodes to form a cluster with, HOST:PORT; its own one is ignored",
        required = false)
    String[] join() default {};

    @AttributeDefinition(name = "Discovery",
        description = "how the node finds others by itself: list (the addresses to join), file:FOLDER, multicast:ADDRESS:PORT or dns:NAME",
        required = false)
    String discovery() default DISCOVERY;

    @AttributeDefinition(name = "Silence",
        description = "time without a sign of life after which a node is suspected whose host does not answer, in milliseconds", min = "500",
        max = "600000", required = false)
    long silence() default MembershipSettings.SILENCE_MILLIS;

    @AttributeDefinition(name = "Folder", description = "folder for the node's files, installed modules among them; by default one in the storage of "
        + "the framework", required = false)
    String folder() default "";

    @AttributeDefinition(name = "Rules", description = "file with the selection rules of the jobs that this node launches; by default they have none",
        required = false)
    String rules() default "";

    @AttributeDefinition(name = "Switches", description = "names of the switches that connect the node's host to others, the nearest first; by "
        + "default they are not known", required = false)
    String[] switches() default {};

    @AttributeDefinition(name = "Topology", description = "file that tells the switches of all nodes by their names, as Slurm's topology.conf does; "
        + "in place of switches", required = false)
    String topology() default "";

    @AttributeDefinition(name = "Warm-up", description = "whether the node prepares for its first job while it is idle", required = false)
    boolean warmup() default false;

    @AttributeDefinition(name = "Ranks", description = "most ranks of one job on this node", min = "1", max = "65536", required = false)
    int ranks() default 8_192;

    @AttributeDefinition(name = "Jobs", description = "most jobs at once that this node coordinates or has a part of", min = "1", max = "65536",
        required = false)
    int jobs() default 256;

    @AttributeDefinition(name = "History", description = "most jobs that have ended which this node remembers", min = "0", max = "100000",
        required = false)
    int history() default HISTORY;

    @AttributeDefinition(name = "Measurements", description = "most bytes of traces and reports of jobs which this node keeps in memory for the live "
        + "page, those of the newest jobs", min = "0", max = "2147483647", required = false)
    int measurements() default MEASUREMENTS;

    @AttributeDefinition(name = "Modules", description = "most modules that are installed on this node", min = "1", max = "65536", required = false)
    int modules() default 256;

    @AttributeDefinition(name = "Connections", description = "most links that commands and other nodes have open to this node; commands may have "
        + "three quarters of them", min = "1", max = "1000000", required = false)
    int connections() default 4_096;

    @AttributeDefinition(name = "Idle",
        description = "time after which a link of a command or node is closed on which nothing happens, in milliseconds",
        min = "1", max = "86400000", required = false)
    int idle() default 120_000;

    @AttributeDefinition(name = "Messages",
        description = "most bytes of messages in memory that are not complete, or that their receivers do not read",
        min = "0", max = "2147483647", required = false)
    int messages() default 67_108_864;

    @AttributeDefinition(name = "Job JVMs", description = "number of JVMs for the ranks of jobs that the node keeps ready", min = "0", max = "64",
        required = false)
    int jvms() default JVMS;

    @AttributeDefinition(name = "Reuse", description = "most jobs of one owner that a job JVM serves, one after the other", min = "1",
        max = "1000000", required = false)
    int reuse() default REUSE;

    @AttributeDefinition(name = "Heap of a job JVM", description = "heap of a job JVM, for example 512m; by default as that of the node",
        required = false)
    String job_heap() default "";

    @AttributeDefinition(name = "Direct memory of a job JVM",
        description = "direct memory of a job JVM, for example 128m; by default as that of the node", required = false)
    String job_direct() default "";

    @AttributeDefinition(name = "Threads of a job JVM", description = "most platform threads of a job JVM; 0 for 4352 and one per rank", min = "0",
        max = "1000000", required = false)
    int job_threads() default 0;

    @AttributeDefinition(name = "Files of a job JVM", description = "most open files and sockets of a job JVM; 0 for those of the node", min = "0",
        max = "1000000", required = false)
    int job_files() default 0;

    @AttributeDefinition(name = "Cores of a job JVM", description = "most cores that a job JVM uses; 0 for those of the node", min = "0",
        max = "65536", required = false)
    int job_cpu() default 0;

    @AttributeDefinition(name = "One run", description = "whether the node serves one run and ends with it", required = false)
    boolean onerun() default false;

    @AttributeDefinition(name = "Secret", description = "file with the secret of the cluster for nodes, or none for a node on which everybody may do "
        + "everything; by default .tutti/secret in the home folder of the user who runs the node", required = false)
    String secret() default "";

    @AttributeDefinition(name = "Insecure", description = "whether the node may listen beyond loopback although its secret is none", required = false)
    boolean insecure() default false;

    @AttributeDefinition(name = "Signers", description = "file with the certificates whose holders may sign modules, in PEM format: a module that is "
        + "added must be signed by one of them; by default modules need not be signed", required = false)
    String signers() default "";

    @AttributeDefinition(name = "Stop", description = "what a request to stop the node stops", required = false,
        options = {@Option(label = "the node", value = "node"), @Option(label = "the framework", value = "framework")})
    String stop() default "node";
}
