package tutti.daemon.job;

import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Dictionary;
import java.util.Enumeration;
import java.util.List;
import org.apache.felix.metatype.AD;
import org.apache.felix.metatype.Designate;
import org.apache.felix.metatype.MetaData;
import org.apache.felix.metatype.MetaDataReader;
import org.apache.felix.metatype.OCD;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.AttributeDefinition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Parameters that modules declare by Metatype: an object class with PID {@code coll.NAME}, or that of an interceptor with its name, in which each
 * attribute is a parameter. A parameter that a job does not set has the value that Config Admin holds under that PID on this node, else the declared
 * default.
 */
@Component(service = ParameterSource.class)
public final class ModuleParameters implements ParameterSource {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleParameters.class);
    private static final String PREFIX = "coll.";

    private static final String DECLARATIONS = "OSGI-INF/metatype";

    private final NodeModules registry;
    private final ConfigurationAdmin configurations;

    /** Creates the source from the services it reads. */
    @Activate
    public ModuleParameters(@Reference(name = "registry") final NodeModules registry,
        @Reference(name = "configurations") final ConfigurationAdmin configurations) {
        this.registry = registry;
        this.configurations = configurations;
    }

    @Override
    public @Nullable List<Parameter> of(final ModuleId module) {
        final Bundle bundle = registry.installed(module);
        if (bundle == null) {
            return null;
        }
        final OCD declared = declaration(bundle, pid(module));
        if (declared == null) {
            return List.of();
        }
        final String pid = pid(module);
        final Dictionary<String, Object> configured = configured(pid);
        final List<Parameter> parameters = new ArrayList<>();
        for (final Object definition : declared.getAttributeDefinitions().values()) {
            final AD a = (AD) definition;
            final Object set = configured == null ? null : configured.get(a.getID());
            final String[] values = a.getDefaultValue();
            final String value = set != null ? set.toString() : values != null && values.length > 0 ? values[0] : null;
            parameters.add(new Parameter(pid + "." + a.getID(), value, v -> problem(a, v)));
        }
        return parameters;
    }

    /** Returns the PID of a module's parameters: {@code coll.NAME}, or the name of an interceptor as it is. */
    private static String pid(final ModuleId module) {
        return InterceptionOption.isInterceptor(module.name()) ? module.name() : PREFIX + module.name();
    }

    /**
     * Returns the declaration for the PID in the bundle's own files. They are read each time, since Metatype's service keeps declarations of
     * bundles that were uninstalled.
     */
    private static @Nullable OCD declaration(final Bundle bundle, final String pid) {
        final Enumeration<URL> files = bundle.findEntries(DECLARATIONS, "*.xml", false);
        while (files != null && files.hasMoreElements()) {
            final URL file = files.nextElement();
            try {
                final MetaData data = new MetaDataReader().parse(file);
                for (final Object designate : data == null || data.getDesignates() == null ? List.of() : data.getDesignates()) {
                    final Designate d = (Designate) designate;
                    if (pid.equals(d.getPid())) {
                        return (OCD) data.getObjectClassDefinitions().get(d.getObject().getOcdRef());
                    }
                }
            } catch (final IOException e) {
                // Cause: the metatype file of a module is damaged. Remedy: build it again.
                LOG.warn("declaration of parameters cannot be read: bundle={}, file={}", bundle, file, e);
            }
        }
        return null;
    }

    private @Nullable Dictionary<String, Object> configured(final String pid) {
        try {
            final Configuration[] found = configurations.listConfigurations("(service.pid=" + pid + ")");
            return found == null ? null : found[0].getProperties();
        } catch (final IOException | InvalidSyntaxException e) {
            // Cause: Configuration Admin has failed. Remedy: look at the container's log.
            throw new IllegalStateException("configuration cannot be read: pid=" + pid, e);
        }
    }

    private static @Nullable String problem(final AD attribute, final String value) {
        final String type = Types.problem(attribute.getType(), value);
        final String declared = type != null ? type : attribute.validate(value);
        return switch (declared) {
            case null -> null;
            case "" -> null;
            case AD.VALIDATE_LESS_THAN_MINIMUM -> "less than the minimum, " + attribute.getMin();
            case AD.VALIDATE_GREATER_THAN_MAXIMUM -> "greater than the maximum, " + attribute.getMax();
            case AD.VALIDATE_NOT_A_VALID_OPTION -> "none of " + String.join(", ", attribute.getOptionValues());
            default -> declared;
        };
    }

    /** Check of texts against Metatype's types. */
    private static final class Types {
        private Types() {}

        static @Nullable String problem(final int type, final String value) {
            try {
                switch (type) {
                    case AttributeDefinition.INTEGER -> Integer.parseInt(value);
                    case AttributeDefinition.LONG -> Long.parseLong(value);
                    case AttributeDefinition.SHORT -> Short.parseShort(value);
                    case AttributeDefinition.BYTE -> Byte.parseByte(value);
                    case AttributeDefinition.DOUBLE -> Double.parseDouble(value);
                    case AttributeDefinition.FLOAT -> Float.parseFloat(value);
                    case AttributeDefinition.BOOLEAN -> {
                        if (!value.equals("true") && !value.equals("false")) {
                            return "neither true nor false";
                        }
                    }
                    default -> {
                        // any text
                    }
                }
                return null;
            } catch (final NumberFormatException e) {
                return "not a number of its type";
            }
        }
    }
}
