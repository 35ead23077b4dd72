package tutti.daemon.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Dictionary;
import java.util.List;
import org.osgi.framework.Bundle;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.metatype.AttributeDefinition;
import org.osgi.service.metatype.MetaTypeInformation;
import org.osgi.service.metatype.MetaTypeService;
import org.osgi.service.metatype.ObjectClassDefinition;
import tutti.runtime.select.ModuleId;
import tutti.runtime.select.ModuleRegistry;

/**
 * The parameters that modules declare by Metatype: an object class with PID {@code coll.NAME}, each attribute a parameter. What a job does
 * not set has the value that Config Admin holds under that PID on this node, else the declared default.
 */
@Component(service = ParameterSource.class)
public final class ModuleParameters implements ParameterSource {
    private static final String PREFIX = "coll.";

    private final ModuleRegistry registry;
    private final MetaTypeService metatypes;
    private final ConfigurationAdmin configurations;

    /** With the services that know. */
    @Activate
    public ModuleParameters(@Reference(name = "registry") final ModuleRegistry registry,
                            @Reference(name = "metatypes") final MetaTypeService metatypes,
                            @Reference(name = "configurations") final ConfigurationAdmin configurations) {
        this.registry = registry;
        this.metatypes = metatypes;
        this.configurations = configurations;
    }

    @Override
    public List<Parameter> of(final ModuleId module) {
        final Bundle bundle = registry.bundleOf(module);
        if (bundle == null) {
            return List.of();
        }
        final String pid = PREFIX + module.name();
        final MetaTypeInformation information = metatypes.getMetaTypeInformation(bundle);
        if (information == null || !List.of(information.getPids()).contains(pid)) {
            return List.of();
        }
        final Dictionary<String, Object> configured = configured(pid);
        final List<Parameter> parameters = new ArrayList<>();
        for (final AttributeDefinition a : information.getObjectClassDefinition(pid, null).getAttributeDefinitions(ObjectClassDefinition.ALL)) {
            final Object set = configured == null ? null : configured.get(a.getID());
            final String[] declared = a.getDefaultValue();
            final String value = set != null ? set.toString() : declared != null && declared.length > 0 ? declared[0] : null;
            parameters.add(new Parameter(pid + "." + a.getID(), value, v -> problem(a, v)));
        }
        return parameters;
    }

    private Dictionary<String, Object> configured(final String pid) {
        try {
            final Configuration[] found = configurations.listConfigurations("(service.pid=" + pid + ")");
            return found == null ? null : found[0].getProperties();
        } catch (final IOException | InvalidSyntaxException e) {
            throw new IllegalStateException("configuration cannot be read: pid=" + pid, e);
        }
    }

    private static String problem(final AttributeDefinition attribute, final String value) {
        final String type = Types.problem(attribute.getType(), value);
        if (type != null) {
            return type;
        }
        final String declared = attribute.validate(value);
        return declared == null || declared.isEmpty() ? null : declared;
    }

    /** Whether texts are values of Metatype's types. */
    private static final class Types {
        private Types() { }

        static String problem(final int type, final String value) {
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
