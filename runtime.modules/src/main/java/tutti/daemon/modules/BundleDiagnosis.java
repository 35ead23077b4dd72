package tutti.daemon.modules;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.namespace.ExecutionEnvironmentNamespace;
import org.osgi.framework.namespace.PackageNamespace;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRequirement;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;
import tutti.coll.CollModule;
import tutti.runtime.module.ModuleId;

/** Says in plain words why the bundle of a module cannot be used, and what its author can do: what it needs and this node does not have. */
final class BundleDiagnosis {
    private static final String API = "tutti.coll";
    private static final String TUTTI = "tutti.";
    private static final Pattern REFERENCE = Pattern.compile("<reference\\b[^>]*>");

    private BundleDiagnosis() {}

    /** Returns what a bundle needs that no bundle of this container provides, with the remedy; null when nothing is missing. */
    static @Nullable String missing(final BundleContext context, final Bundle bundle) {
        final FrameworkWiring framework = context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class);
        final BundleRevision revision = bundle.adapt(BundleRevision.class);
        final List<String> missing = new ArrayList<>();
        for (final BundleRequirement need : revision.getDeclaredRequirements(null)) {
            final boolean isOptional = Constants.RESOLUTION_OPTIONAL.equals(need.getDirectives().get(Constants.RESOLUTION_DIRECTIVE))
                || need.getDirectives().containsKey(Constants.EFFECTIVE_DIRECTIVE)
                    && !Constants.EFFECTIVE_RESOLVE.equals(need.getDirectives().get(Constants.EFFECTIVE_DIRECTIVE));
            if (!isOptional && framework.findProviders(need).stream().noneMatch(p -> p.getRevision().getBundle() != bundle)
                && revision.getDeclaredCapabilities(need.getNamespace()).stream().noneMatch(need::matches)) {
                missing.add(missing(context, need));
            }
        }
        return missing.isEmpty() ? null : name(bundle) + " " + String.join("; it ", missing);
    }

    private static String name(final Bundle bundle) {
        return bundle.getSymbolicName() + " " + bundle.getVersion();
    }

    private static String missing(final BundleContext context, final BundleRequirement need) {
        final String filter = String.valueOf(need.getDirectives().get(Constants.FILTER_DIRECTIVE));
        return switch (need.getNamespace()) {
            case PackageNamespace.PACKAGE_NAMESPACE -> missingPackage(context, value(filter, PackageNamespace.PACKAGE_NAMESPACE), range(filter));
            case ExecutionEnvironmentNamespace.EXECUTION_ENVIRONMENT_NAMESPACE -> "needs "
                + value(filter, ExecutionEnvironmentNamespace.EXECUTION_ENVIRONMENT_NAMESPACE) + " " + value(filter, "version")
                + ", this node runs Java "
                + Runtime.version().feature() + ": compile it with --release " + Runtime.version().feature();
            default -> "needs capability " + need.getNamespace() + (filter.equals("null") ? "" : " " + filter)
                + ", which no bundle of this node provides: install its provider on the nodes, or leave it out of Require-Capability";
        };
    }

    private static String missingPackage(final BundleContext context, final String name, final String range) {
        final Collection<String> exported = new TreeSet<>();
        Stream.of(context.getBundles()).map(b -> b.adapt(BundleRevision.class)).filter(r -> r != null)
            .flatMap(r -> r.getDeclaredCapabilities(PackageNamespace.PACKAGE_NAMESPACE).stream())
            .filter(c -> name.equals(c.getAttributes().get(PackageNamespace.PACKAGE_NAMESPACE)))
            .forEach(c -> exported.add(version(c)));
        final String needs = "needs " + name + (range.isEmpty() ? "" : " " + range);
        if (!exported.isEmpty()) {
            final String owner = name.startsWith(TUTTI) ? "this Tutti" : "this node";
            return needs + ", " + owner + " exports " + String.join(", ", exported) + ": rebuild it against " + (name.equals(API)
                ? "the tutti.coll.api of this Tutti" : "that version");
        }
        return needs + ", which no bundle of this node exports: " + (name.startsWith(TUTTI) ? "a module may import " + API + " alone"
            : "embed it in the module (-privatepackage of bnd), or put its bundle into the container of every node");
    }

    private static String version(final BundleCapability exported) {
        return String.valueOf(exported.getAttributes().get(Constants.VERSION_ATTRIBUTE));
    }

    /** Returns the value of an attribute that a filter compares. */
    private static String value(final String filter, final String attribute) {
        return find("\\(" + Pattern.quote(attribute) + "[<>]?=([^)]+)\\)", filter);
    }

    /** Returns the range of versions that a filter accepts, as a manifest writes it; empty for all. */
    private static String range(final String filter) {
        final String least = find("\\(version>=([^)]+)\\)", filter);
        final String below = find("\\(!\\(version>=([^)]+)\\)\\)", filter);
        final String most = find("\\(version<=([^)]+)\\)", filter);
        final String from = least.isEmpty() ? "0" : least;
        return !below.isEmpty() ? "[" + from + "," + below + ")" : !most.isEmpty() ? "[" + from + "," + most + "]"
            : from.equals("0") ? "" : from + " or later";
    }

    /** Returns the group of a pattern where it is found in a text; empty when it is not. */
    private static String find(final String pattern, final String text) {
        final Matcher m = Pattern.compile(pattern).matcher(text);
        return m.find() ? m.group(1) : "";
    }

    /** Returns why a bundle that was started does not publish the module that it declares, with the remedy. */
    static String unpublished(final BundleContext context, final Bundle bundle, final String declared, final List<ModuleId> published) {
        final String prefix = "bundle " + name(bundle) + " declares module " + declared;
        final String annotate = "annotate its class with @Component(property = CollModule.NAME + \"=" + declared + "\") and build it with bnd";
        if (published.size() > 1) {
            return prefix + ", but publishes " + published + ": a bundle has one module";
        }
        if (published.size() == 1) {
            return prefix + ", but its component publishes " + published.getFirst().name()
                + ": name it alike in @ProvidesCollectives and in property "
                + CollModule.NAME;
        }
        final String components = bundle.getHeaders("").get("Service-Component");
        if (components == null) {
            return prefix + ", but has no component: " + annotate;
        }
        final List<String> absent = absentServices(context, bundle, components);
        return prefix + ", but its component is not active: " + (absent.isEmpty() ? "the log of the node may say why; otherwise " + annotate
            : "it needs service " + String.join(", ", absent) + ", which no bundle of this node provides; a module may need none but those of OSGi");
    }

    /** Returns the services that components refer to and that nobody has registered. */
    private static List<String> absentServices(final BundleContext context, final Bundle bundle, final String components) {
        final List<String> absent = new ArrayList<>();
        for (final String file : components.split("\\s*,\\s*")) {
            final URL entry = bundle.getEntry(file);
            try (InputStream in = entry == null ? InputStream.nullInputStream() : entry.openStream()) {
                final Matcher reference = REFERENCE.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                while (reference.find()) {
                    final String type = attribute(reference.group(), "interface");
                    if (!attribute(reference.group(), "cardinality").startsWith("0") && context.getAllServiceReferences(type, null) == null) {
                        absent.add(type);
                    }
                }
            } catch (final IOException | InvalidSyntaxException e) {
                // the component cannot be read by Declarative Services either, which logs it
                continue;
            }
        }
        return absent;
    }

    private static String attribute(final String element, final String name) {
        return find("\\b" + name + "=\"([^\"]*)\"", element);
    }
}
