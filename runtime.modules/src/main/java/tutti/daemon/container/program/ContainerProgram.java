package tutti.daemon.container.program;

import java.nio.file.Path;

/** Program of a JVM that a node has started with bundles of its own: a service, which the JVM runs when the bundles are started. */
public interface ContainerProgram {
    /** Version of this package. */
    String VERSION = "0.1.0";
    /** Property of the service: the name of the program. */
    String NAME = "tutti.program";

    /** Runs the program, which ends the JVM. {@code folder} is the storage folder of the JVM. */
    void run(Path folder);
}
