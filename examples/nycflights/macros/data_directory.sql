{% macro data_directory() %}
  {# The directory of the raw files as an absolute path or URI, because Spark takes a relative
     location as one below the warehouse. #}
  {% set directory = env_var("NYCFLIGHTS_DATA", invocation_args_dict.project_dir ~ "/data") %}
  {% if directory.startswith("/") or ":" in directory %}
    {{ return(directory) }}
  {% endif %}
  {% set working_directory = run_query(
    "select java_method('java.lang.System', 'getProperty', 'user.dir')"
  ).columns[0].values()[0] %}
  {{ return(working_directory ~ "/" ~ directory) }}
{% endmacro %}
