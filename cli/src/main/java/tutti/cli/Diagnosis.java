package tutti.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tutti.daemon.node.NodeHealth;

/** What is wrong with the nodes of a cluster, and what to do about it. Immutable. */
final class Diagnosis {
    private static final long MIB = 1L << 20;
    private static final long LEAST_FILES = 4096;
    private static final long LEAST_HEAP = 256 * MIB;
    private static final long LEAST_MEMORY = 512 * MIB;
    private static final long LEAST_SHARED = 16 * MIB;
    private static final long LEAST_DISK = 256 * MIB;
    private static final long MOST_SKEW = 1000;
    private static final double MOST_OPEN = 0.8;

    private final List<Finding> findings = new ArrayList<>();

    /** How bad a finding is. */
    enum Grade {
        /** Nothing is wrong. */
        OK,
        /** Something may be wrong. */
        WARNING,
        /** Something does not work. */
        ERROR
    }

    /**
     * A finding.
     *
     * @param grade  how bad it is
     * @param where  the node, or nodes
     * @param text   what it is
     * @param remedy what to do; empty if nothing is wrong
     */
    record Finding(Grade grade, String where, String text, String remedy) {
        @Override
        public String toString() {
            return "%-8s %s: %s%s".formatted(grade.name().toLowerCase(Locale.ROOT), where, text, remedy.isEmpty() ? "" : "; " + remedy);
        }
    }

    /**
     * Examines nodes.
     *
     * @param nodes   what the nodes found
     * @param silent  nodes that did not answer
     * @param warnings warnings of nodes, by name
     * @param from    clock of this command before it asked, in milliseconds of the epoch
     * @param to      its clock when it had the answer
     */
    Diagnosis(final Collection<NodeHealth> nodes, final Collection<String> silent, final Map<String, List<String>> warnings, final long from,
        final long to) {
        silent.forEach(n -> add(Grade.ERROR, "node " + n, "does not answer", "look whether its process runs and its machine can be reached"));
        same("versions of Tutti", nodes.stream().toList(), NodeHealth::version, "use the same release everywhere");
        same("versions of Java", nodes.stream().toList(), NodeHealth::java, "use the same JDK everywhere");
        for (final NodeHealth n : nodes) {
            examine(n, from, to);
            warnings.getOrDefault(n.name(), List.of())
                .forEach(w -> add(Grade.WARNING, "node " + n.name(), w, "make a secret with: tutti secure init"));
        }
    }

    private void add(final Grade grade, final String where, final String text, final String remedy) {
        findings.add(new Finding(grade, where, text, remedy));
    }

    private interface Property {
        String of(NodeHealth node);
    }

    private void same(final String what, final List<NodeHealth> nodes, final Property property, final String remedy) {
        final Map<String, Set<String>> holders = new TreeMap<>();
        nodes.forEach(n -> holders.computeIfAbsent(property.of(n), v -> new TreeSet<>()).add(n.name()));
        if (holders.size() > 1) {
            final List<String> parts = new ArrayList<>();
            holders.forEach((value, names) -> parts.add(value + " on " + String.join(", ", names)));
            add(Grade.ERROR, "cluster", what + " differ: " + String.join("; ", parts), remedy);
        }
    }

    private void examine(final NodeHealth n, final long from, final long to) {
        final String where = "node " + n.name();
        final int before = findings.size();
        n.unreachable().forEach((other, why) -> add(Grade.ERROR, where, "cannot connect to node " + other + " at " + why,
            "open the port between the hosts, or give the address at which others reach node " + other + " with --advertise"));
        final long skew = n.clockMillis() < from ? n.clockMillis() - from : Math.max(0, n.clockMillis() - to);
        if (Math.abs(skew) > MOST_SKEW) {
            add(Grade.WARNING, where, "its clock differs from that of this machine by " + skew / 1000.0 + " s",
                "synchronize clocks (NTP): certificates and listings depend on them");
        }
        if (n.maxFiles() >= 0 && n.maxFiles() < LEAST_FILES) {
            add(Grade.WARNING, where, "may open only " + n.maxFiles() + " files and sockets",
                "raise the limit: ulimit -n 65536, or LimitNOFILE= of systemd");
        } else if (n.maxFiles() > 0 && n.openFiles() > MOST_OPEN * n.maxFiles()) {
            add(Grade.WARNING, where, "has " + n.openFiles() + " of " + n.maxFiles() + " files and sockets open", "raise the limit: ulimit -n");
        }
        low(where, "heap", n.heapMax(), LEAST_HEAP, "give the JVM more: TUTTI_DAEMON_OPTS=-Xmx1g");
        low(where, "available memory", n.memoryFree(), LEAST_MEMORY, "end other programs, or use another machine");
        if (n.shared() < 0) {
            add(Grade.WARNING, where, "has no /dev/shm", "mount a tmpfs there: ranks of several processes share counters in it");
        } else {
            low(where, "free space in /dev/shm", n.shared(), LEAST_SHARED, "enlarge it: mount -o remount,size=64m /dev/shm");
        }
        low(where, "free space for " + n.folder(), n.disk(), LEAST_DISK, "make room, or use another folder with --dir");
        if (!n.doesResolve()) {
            add(Grade.WARNING, where, "its host name has no address: " + n.host(), "add it to /etc/hosts or DNS");
        }
        if (findings.size() == before) {
            add(Grade.OK, where, "Tutti " + n.version() + ", Java " + n.java() + ", " + n.cores() + " cores, " + n.heapMax() / MIB + " MiB of heap, "
                + n.openFiles() + " of " + n.maxFiles() + " files open", "");
        }
    }

    private void low(final String where, final String what, final long bytes, final long least, final String remedy) {
        if (bytes >= 0 && bytes < least) {
            add(Grade.WARNING, where, what + " is low: " + bytes / MIB + " MiB, wanted " + least / MIB + " MiB", remedy);
        }
    }

    /** Returns the findings, a line each. */
    List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** Returns whether something does not work. */
    boolean isIll() {
        return findings.stream().anyMatch(f -> f.grade() == Grade.ERROR);
    }
}
