package tutti.daemon.listing;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import tutti.daemon.health.ClusterHealth;
import tutti.daemon.health.LinkQuality;
import tutti.daemon.health.NodeHealth;
import tutti.daemon.node.NodeReport;
import tutti.runtime.policy.LinkSpeed;

/** Problems of the nodes of a cluster or of one machine, each with its remedy. For one thread. */
public final class Diagnosis {
    private static final int LEAST_JAVA = 25;
    private static final long MIB = 1L << 20;
    private static final long LEAST_FILES = 4096;
    private static final long LEAST_PROCESSES = 4096;
    private static final long LEAST_HEAP = 256 * MIB;
    private static final long LEAST_MEMORY = 512 * MIB;
    private static final long LEAST_SHARED = 16 * MIB;
    private static final long LEAST_DISK = 256 * MIB;
    private static final long MOST_SKEW = 1000;
    private static final String REMEDY = "; ";
    private static final double MOST_OPEN = 0.8;

    private final List<Finding> findings = new ArrayList<>();

    /** How bad a finding is. */
    public enum Grade {
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
    public record Finding(Grade grade, String where, String text, String remedy) {
        @Override
        public String toString() {
            return "%-8s %s: %s%s".formatted(grade.name().toLowerCase(Locale.ROOT), where, text, remedy.isEmpty() ? "" : "; " + remedy);
        }
    }

    /**
     * Examines nodes.
     *
     * @param health   what the nodes found
     * @param warnings warnings of nodes, by name, each with what to do behind a semicolon
     * @param from     clock of this command before it asked, in milliseconds of the epoch
     * @param to       its clock when it had the answer
     */
    public Diagnosis(final ClusterHealth health, final Map<String, List<String>> warnings, final long from, final long to) {
        final List<NodeHealth> nodes = health.nodes();
        new TreeMap<>(health.lost()).forEach((name, why) -> add(Grade.WARNING, "node " + name, "was lost: " + why,
            "look at its log and its host, and start it again: it joins the others"));
        health.silent()
            .forEach(n -> add(Grade.ERROR, "node " + n, "does not answer", "look whether its process runs and its machine can be reached"));
        same("versions of Tutti", nodes, NodeHealth::version, "use the same release everywhere");
        same("versions of Java", nodes, NodeHealth::java, "use the same JDK everywhere");
        for (final NodeHealth n : nodes) {
            examine(n, from, to);
            for (final String warning : warnings.getOrDefault(n.name(), List.of())) {
                final int remedy = warning.indexOf(REMEDY);
                add(Grade.WARNING, "node " + n.name(), remedy < 0 ? warning : warning.substring(0, remedy),
                    remedy < 0 ? "" : warning.substring(remedy + REMEDY.length()));
            }
        }
        slowestLink(nodes);
    }

    /** Says what the slowest link carries, which decides the class of the links of a job on all nodes. */
    private void slowestLink(final List<NodeHealth> nodes) {
        final Map<LinkQuality, String> measured = new HashMap<>();
        for (final NodeHealth n : nodes) {
            final LinkQuality link = n.link();
            if (link != null && link.isMeasured()) {
                measured.put(link, n.name());
            }
        }
        measured.entrySet().stream().min(Comparator.comparingLong(e -> e.getKey().bytesPerSecond())).ifPresent(e -> add(Grade.OK, "network",
            "slowest link: node " + e.getValue() + " to node " + e.getKey().to() + ", " + e.getKey().bytesPerSecond() / 1_000_000 + " MB/s, "
                + e.getKey().roundTripMicros() + " us there and back: " + LinkSpeed.PARAMETER + "=" + e.getKey().speed(),
            ""));
    }

    private Diagnosis() {}

    /** Says which nodes are linked by transports that do not reach all. */
    private void near(final List<NodeReport> reports) {
        final Map<String, Set<String>> groups = new TreeMap<>();
        reports.forEach(r -> r.reach().forEach((scheme, reach) -> groups.computeIfAbsent(scheme + " " + reach, g -> new TreeSet<>())
            .add(r.node().name())));
        groups.forEach((group, nodes) -> {
            if (nodes.size() > 1) {
                add(Grade.OK, "network", "nodes " + String.join(", ", nodes) + " are linked by " + group.substring(0, group.indexOf(' ')), "");
            }
        });
    }

    /**
     * Returns what a cluster's nodes found.
     *
     * @param reports reports of the nodes
     * @param health  what they found
     * @param from    clock of this machine before the nodes were asked, in milliseconds of the epoch
     * @param to      its clock when they had answered
     */
    public static Diagnosis of(final List<NodeReport> reports, final ClusterHealth health, final long from, final long to) {
        final Map<String, List<String>> warnings = new HashMap<>();
        reports.forEach(r -> warnings.put(r.node().name(), r.warnings()));
        final Diagnosis diagnosis = new Diagnosis(health, warnings, from, to);
        diagnosis.near(reports);
        return diagnosis;
    }

    /**
     * Examines a machine on which a node may start.
     *
     * @param machine   what this process finds; its heap is not that of a node
     * @param addresses addresses of the host's name
     * @param java      feature version of the JDK
     * @param others    findings about ports and the cluster
     */
    public static Diagnosis ofMachine(final NodeHealth machine, final List<InetAddress> addresses, final int java, final List<Finding> others) {
        final Diagnosis diagnosis = new Diagnosis();
        final String where = "this machine";
        if (java < LEAST_JAVA) {
            diagnosis.add(Grade.ERROR, where, "has Java " + machine.java(), "install JDK 25, and set TUTTI_JAVA_HOME to its folder");
        }
        diagnosis.examineMachine(where, machine);
        if (!addresses.isEmpty() && addresses.stream().allMatch(InetAddress::isLoopbackAddress)) {
            diagnosis.add(Grade.WARNING, where, "its host name " + machine.host() + " is " + texts(addresses) + ", at which no other host reaches it",
                "correct /etc/hosts or DNS, or start nodes with --listen ADDRESS:PORT of the network");
        }
        if (diagnosis.findings.isEmpty()) {
            diagnosis.add(Grade.OK, where, "Tutti " + machine.version() + ", Java " + machine.java() + ", " + machine.cores() + " cores, "
                + (machine.memoryFree() < 0 ? "" : machine.memoryFree() / MIB + " MiB of memory available, ")
                + (machine.maxFiles() < 0 ? "" : machine.maxFiles()
                    + " files may be open, ")
                + machine.disk() / MIB + " MiB free in " + machine.folder() + ", host name " + machine.host() + " is "
                + texts(addresses), "");
        }
        diagnosis.findings.addAll(others);
        return diagnosis;
    }

    private static String texts(final List<InetAddress> addresses) {
        return String.join(", ", addresses.stream().map(InetAddress::getHostAddress).toList());
    }

    /** Adds a finding. */
    public void add(final Finding finding) {
        findings.add(finding);
    }

    /** Returns the findings as text, a line each. */
    public String text() {
        final StringBuilder text = new StringBuilder();
        findings.forEach(f -> text.append(f).append('\n'));
        return text.toString();
    }

    private void add(final Grade grade, final String where, final String text, final String remedy) {
        findings.add(new Finding(grade, where, text, remedy));
    }

    private void same(final String what, final List<NodeHealth> nodes, final Function<NodeHealth, String> property, final String remedy) {
        final Map<String, Set<String>> holders = new TreeMap<>();
        nodes.forEach(n -> holders.computeIfAbsent(property.apply(n), v -> new TreeSet<>()).add(n.name()));
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
            "open the port between the hosts, or set tutti.node.advertise of node " + other + " to the address at which others reach it"));
        final long skew = n.clockMillis() < from ? n.clockMillis() - from : Math.max(0, n.clockMillis() - to);
        if (Math.abs(skew) > MOST_SKEW) {
            add(Grade.WARNING, where, "its clock differs from that of this machine by " + skew / 1000.0 + " s",
                "synchronize clocks (NTP): certificates and listings depend on them");
        }
        low(where, "heap", n.heapMax(), LEAST_HEAP, "give the JVM more: TUTTI_DAEMON_OPTS=-Xmx1g");
        examineMachine(where, n);
        if (findings.size() == before) {
            add(Grade.OK, where, "Tutti " + n.version() + ", Java " + n.java() + ", " + n.cores() + " cores, " + n.heapMax() / MIB + " MiB of heap, "
                + n.openFiles() + " of " + n.maxFiles() + " files open", "");
        }
    }

    private void examineMachine(final String where, final NodeHealth n) {
        if (n.maxFiles() >= 0 && n.maxFiles() < LEAST_FILES) {
            add(Grade.WARNING, where, "may open only " + n.maxFiles() + " files and sockets",
                "raise the limit: ulimit -n 65536, or LimitNOFILE= of systemd");
        } else if (n.maxFiles() > 0 && n.openFiles() > MOST_OPEN * n.maxFiles()) {
            add(Grade.WARNING, where, "has " + n.openFiles() + " of " + n.maxFiles() + " files and sockets open", "raise the limit: ulimit -n");
        }
        if (n.maxProcesses() >= 0 && n.maxProcesses() < LEAST_PROCESSES) {
            add(Grade.WARNING, where, "may start only " + n.maxProcesses() + " processes and threads, of which each rank is one",
                "raise the limit: ulimit -u 65536, or LimitNPROC= and TasksMax= of systemd");
        }
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
    }

    private void low(final String where, final String what, final long bytes, final long least, final String remedy) {
        if (bytes >= 0 && bytes < least) {
            add(Grade.WARNING, where, what + " is low: " + bytes / MIB + " MiB, wanted " + least / MIB + " MiB", remedy);
        }
    }

    /** Returns the findings, a line each. */
    public List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** Returns whether something does not work. */
    public boolean isIll() {
        return findings.stream().anyMatch(f -> f.grade() == Grade.ERROR);
    }
}
