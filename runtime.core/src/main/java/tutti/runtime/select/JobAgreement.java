package tutti.runtime.select;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.policy.RuleTable;

/** The agreement of two jobs that connect: they need a module in common, and equal values where ranks must decide alike. */
public final class JobAgreement {
    private static final String COLLECTIVES = "coll.";

    private JobAgreement() {}

    /**
     * Checks that another job agrees with this one; both jobs find the same.
     *
     * @throws MpiFailure when they do not; the message names what each of them has
     */
    public static void check(final SelectionInputs own, final SelectionInputs other) {
        final List<ModuleId> common = own.modules().stream().filter(other.modules()::contains).toList();
        if (common.isEmpty()) {
            throw differ("the jobs have no module in common", own.job(), modules(own.modules()), other.job(), modules(other.modules()),
                "install the same modules on the nodes of both");
        }
        final Set<String> names = common.stream().map(ModuleId::name).collect(Collectors.toSet());
        final Set<String> all = new TreeSet<>(own.parameters().keySet());
        all.addAll(other.parameters().keySet());
        all.removeIf(p -> !mustBeEqual(p, names));
        for (final String p : all) {
            if (!Objects.equals(own.parameters().get(p), other.parameters().get(p)) || own.given().contains(p) != other.given().contains(p)) {
                throw differ("the jobs have different values of parameter " + p, own.job(), own.value(p), other.job(), other.value(p),
                    "start both with the same -p " + p + "=VALUE");
            }
        }
        if (own.rulesHash() != other.rulesHash()) {
            throw differ("the jobs have different selection rules", own.job(), rules(own), other.job(), rules(other),
                "start both with the same -p " + RuleTable.PARAMETER + "=FILE");
        }
    }

    private static MpiFailure differ(final String what, final String ownJob, final String own, final String otherJob, final String other,
        final String advice) {
        return new MpiFailure(ErrorClass.OTHER, what + ": job " + ownJob + " has " + own + "; job " + otherJob + " has " + other + "; " + advice);
    }

    private static String rules(final SelectionInputs of) {
        return of.rules() + " #" + Long.toHexString(of.rulesHash());
    }

    private static boolean mustBeEqual(final String parameter, final Set<String> modules) {
        if (parameter.equals(RuleTable.PARAMETER)) {
            // the name of a file: its rules are compared
            return false;
        }
        if (!parameter.startsWith(COLLECTIVES)) {
            return parameter.equals(CheckLevel.PARAMETER);
        }
        final int end = parameter.indexOf('.', COLLECTIVES.length());
        return end < 0 || modules.contains(parameter.substring(COLLECTIVES.length(), end));
    }

    private static String modules(final List<ModuleId> modules) {
        return modules.isEmpty() ? "none" : modules.stream().map(m -> m + " (" + m.digest().substring(0, Math.min(8, m.digest().length())) + ")")
            .collect(Collectors.joining(", "));
    }
}
