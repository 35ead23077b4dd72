package tutti.daemon.jvm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.settings.JobJvmSettings;
import tutti.runtime.process.snapshot.JvmSnapshot;

/** Options of a job JVM: those of the JVM of the node, the limits that the node sets, and those that a program has for a JVM of its own. */
final class JvmOptions {
    /** Options of every such JVM: lack of memory ends it, and a crash leaves no file. */
    private static final List<String> EVERY = List.of("-XX:+ExitOnOutOfMemoryError", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null");
    /** Options of this JVM that another one must not have: those of the node, those that open ports, and those that write files. */
    private static final List<String> OWN = List.of("-D" + NodeProperties.PREFIX, "-agent", "-javaagent", "-Xrun", "-Dcom.sun.management.jmxremote",
        "-XX:StartFlightRecording", "-XX:FlightRecorderOptions", "-XX:DumpLoadedClassList", "-XX:ArchiveClassesAtExit", "-XX:ErrorFile",
        "-XX:OnError", "-XX:OnOutOfMemoryError", "-XX:AOT", "-Dlogback.configurationFile");
    /** Options of programs that the runtime in the JVM does not stand, or with which a JVM runs nothing. */
    private static final List<String> REFUSED = List.of("-D" + NodeProperties.PREFIX, "-Djava.system.class.loader", "-javaagent", "-Xshare:dump",
        "-XX:AOTMode=create", "--limit-modules", "--patch-module=java.base", "--upgrade-module-path");
    private static final String COLLECTOR = "-XX:[+-]Use(Serial|Parallel|G1|Z|Shenandoah|Epsilon)GC";
    private static final String HEAP = "-Xmx|-XX:MaxHeapSize=";
    private static final String FIRST_HEAP = "-Xms.*|-XX:InitialHeapSize=.*|-Xmn.*";
    private static final String DIRECT = "-XX:MaxDirectMemorySize=";
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})([kKmMgGtT]?)");
    /** Units of sizes, each {@code 1 << BITS} times the one before; none stands for bytes. */
    private static final List<String> UNITS = List.of("k", "m", "g", "t");
    private static final int BITS = 10;

    private JvmOptions() {}

    /**
     * Returns the options in their order, of which later ones replace earlier ones.
     *
     * @param node    options of the JVM of the node
     * @param program options that a program has for its JVM
     * @throws IOException when the program must not have an option; the message says why
     */
    static List<String> of(final List<String> node, final JobJvmSettings limits, final List<String> program) throws IOException {
        check(limits, program);
        final List<String> options = new ArrayList<>(node.stream().filter(a -> OWN.stream().noneMatch(a::startsWith)).toList());
        if (program.stream().anyMatch(o -> o.matches(COLLECTOR))) {
            options.removeIf(o -> o.matches(COLLECTOR));
        }
        if (limits.heap() != null || program.stream().anyMatch(o -> isOf(o, HEAP))) {
            options.removeIf(o -> o.matches(FIRST_HEAP));
        }
        options.addAll(EVERY);
        options.addAll(JvmSnapshot.options());
        if (limits.heap() != null) {
            options.add("-Xmx" + limits.heap());
        }
        if (limits.direct() != null) {
            options.add(DIRECT + limits.direct());
        }
        if (limits.cores() > 0) {
            options.add("-XX:ActiveProcessorCount=" + limits.cores());
        }
        options.addAll(program);
        return options;
    }

    private static void check(final JobJvmSettings limits, final List<String> program) throws IOException {
        for (final String option : program) {
            if (!option.startsWith("-") || REFUSED.stream().anyMatch(option::startsWith)) {
                // Cause: a program that has a JVM per rank wants an option with which the runtime does not run. Remedy: start the program without the
                // option.
                throw new IOException("a JVM for ranks does not take this option: " + option);
            }
            if (isOf(option, HEAP)) {
                checkSize(option, HEAP, limits.heap(), NodeProperties.JOB_HEAP);
            }
            if (isOf(option, DIRECT)) {
                checkSize(option, DIRECT, limits.direct(), NodeProperties.JOB_DIRECT);
            }
        }
    }

    private static boolean isOf(final String option, final String names) {
        return option.matches("(" + names + ").*");
    }

    private static void checkSize(final String option, final String names, final @Nullable String limit, final String property)
        throws IOException {
        if (limit != null && bytes(option.replaceFirst(names, "")) > bytes(limit)) {
            // Cause: a program that has a JVM per rank wants more memory than the node gives a job JVM. Remedy: ask for less, or raise the limit of
            // the node.
            throw new IOException("the program's JVM is larger than the node permits: " + option + ", max=" + limit + ", limit=" + property);
        }
    }

    /** Returns the number of bytes that a size of the command line means; 0 for text that is none, which the JVM refuses. */
    private static long bytes(final String size) {
        final Matcher found = SIZE.matcher(size);
        return found.matches() ? Long.parseLong(found.group(1)) << BITS * (UNITS.indexOf(found.group(2).toLowerCase(Locale.ROOT)) + 1) : 0;
    }
}
