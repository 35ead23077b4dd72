package tutti.itest;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.EvaluationResult;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that dependence between packages goes one way: each package uses only packages of lower layers. */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class PackageDependenciesTest {
    /** The layers, the highest first. A package uses only packages of the lines below its own. */
    private static final List<List<String>> LAYERS = List.of(
        List.of("tutti.cli", "tutti.daemon.console", "tutti.metrics", "tutti.mpi", "tutti.web"),
        List.of("tutti.checkpoint", "tutti.cli.bench", "tutti.cli.hosts", "tutti.cli.launch", "tutti.cli.tune", "tutti.daemon.control",
            "tutti.mpi.interception", "tutti.mpi.programs"),
        List.of("tutti.daemon.job"),
        List.of("tutti.daemon.part"),
        List.of("tutti.daemon.checkpoints", "tutti.daemon.cluster", "tutti.daemon.proofs", "mpi", "tutti.runtime.host"),
        List.of("tutti.daemon.jvm", "tutti.runtime.checkpoint"),
        List.of("tutti.daemon.settings"),
        List.of("tutti.daemon.modules", "tutti.runtime.file"),
        List.of("tutti.daemon.monitor", "tutti.runtime.window"),
        List.of("tutti.runtime.exchange"),
        List.of("tutti.daemon.channel", "tutti.daemon.container", "tutti.daemon.launch", "tutti.daemon.listing", "tutti.daemon.membership.jgroups",
            "tutti.runtime.comm"),
        List.of("tutti.daemon.membership", "tutti.daemon.protocol"),
        List.of("tutti.daemon.command", "tutti.daemon.health", "tutti.daemon.node", "tutti.daemon.rules", "tutti.daemon.security"),
        List.of("tutti.runtime.checkpoint.memory", "tutti.runtime.collective", "tutti.runtime.dpm"),
        List.of("tutti.runtime.p2p"),
        List.of("tutti.pictures.schedule", "tutti.runtime.context", "tutti.runtime.wire"),
        List.of("tutti.pictures", "tutti.runtime.access", "tutti.runtime.canary", "tutti.runtime.checkpoint.agreement", "tutti.runtime.job",
            "tutti.runtime.schedule", "tutti.runtime.select"),
        List.of("tutti.runtime.introspect", "tutti.runtime.registry", "tutti.runtime.request"),
        List.of("tutti.runtime.buffer", "tutti.runtime.lifecycle", "tutti.runtime.module", "tutti.runtime.process.snapshot",
            "tutti.runtime.shm"),
        List.of("tutti.coll.basic", "tutti.coll.dissem", "tutti.coll.recexch", "tutti.coll.ring", "tutti.coll.smp", "tutti.coll.tck",
            "tutti.coll.tree", "tutti.interceptors", "tutti.runtime.affinity", "tutti.runtime.datatype", "tutti.runtime.intercept",
            "tutti.runtime.match",
            "tutti.runtime.policy", "tutti.runtime.process",
            "tutti.runtime.transport.mina", "tutti.runtime.transport.shm", "tutti.runtime.transport.ucx"),
        List.of("tutti.coll.patterns", "tutti.coll.plan", "tutti.coll.tck.limit", "tutti.intercept", "tutti.runtime.checkpoint.store",
            "tutti.runtime.locality", "tutti.runtime.process.rewrite", "tutti.runtime.serial", "tutti.runtime.tuning"),
        List.of("tutti.coll.advanced"),
        List.of("tutti.coll", "tutti.daemon.container.program", "tutti.runtime.fault", "tutti.runtime.inspect", "tutti.runtime.liveness",
            "tutti.runtime.model", "tutti.runtime.process.jdk", "tutti.runtime.process.owner", "tutti.runtime.transport"));

    private static final JavaClasses CLASSES = ProjectClasses.all();

    /** Evaluates the rule that no class of a package uses a class of the others. */
    private static EvaluationResult usesNone(final String name, final List<String> others) {
        return noClasses().that().resideInAPackage(name).should().dependOnClassesThat().resideInAnyPackage(others.toArray(String[]::new))
            .evaluate(CLASSES);
    }

    @Test
    void shouldListEveryPackageOnce() {
        final TreeSet<String> found = new TreeSet<>(CLASSES.stream().map(JavaClass::getPackageName).toList());
        final List<String> listed = LAYERS.stream().flatMap(List::stream).sorted().toList();
        assertEquals(List.copyOf(found), listed);
    }

    @Test
    void shouldLetPackagesUseOnlyLowerLayers() {
        final List<String> notBelow = new ArrayList<>();
        final List<String> violations = new ArrayList<>();
        for (final List<String> layer : LAYERS) {
            notBelow.addAll(layer);
            for (final String name : layer) {
                final List<String> others = notBelow.stream().filter(p -> !p.equals(name)).toList();
                if (!others.isEmpty()) {
                    violations.addAll(usesNone(name, others).getFailureReport().getDetails());
                }
            }
        }
        assertEquals(List.of(), violations);
    }

    @Test
    void shouldHaveNoCycleOfPackages() {
        SlicesRuleDefinition.slices().assignedFrom(new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(final JavaClass type) {
                return LAYERS.stream().anyMatch(l -> l.contains(type.getPackageName())) ? SliceIdentifier.of(type.getPackageName())
                    : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "packages";
            }
        }).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void shouldNameTheClassesThatBreakALayer() {
        final EvaluationResult broken = usesNone("tutti.runtime.wire", List.of("tutti.runtime.transport"));
        assertTrue(broken.getFailureReport().getDetails().stream().anyMatch(d -> d.contains("tutti.runtime.wire.JobNetwork")
            && d.contains("tutti.runtime.transport.Hello") && d.contains("JobNetwork.java:")), broken.getFailureReport()::toString);
    }
}
