# penstock_library(base SOURCES a.cpp LINK x y)      -> static library penstock_base
# penstock_program(penstock-gpu SOURCES main.cpp LINK x) -> binary in <build>/bin
# penstock_suite(unit algebra SOURCES a_test.cpp LINK x) -> test binary unit_algebra, ctest label "unit"
function(penstock_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  if(arg_SOURCES)
    add_library(penstock_${name} STATIC ${arg_SOURCES})
    target_link_libraries(penstock_${name} PUBLIC penstock_options ${arg_LINK})
  else()
    add_library(penstock_${name} INTERFACE)
    target_link_libraries(penstock_${name} INTERFACE penstock_options ${arg_LINK})
  endif()
endfunction()

function(penstock_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE penstock_options ${arg_LINK})
endfunction()

function(penstock_suite label name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(target ${label}_${name})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE penstock_test_support ${arg_LINK})
  target_compile_definitions(${target} PRIVATE
    PENSTOCK_TEST_VECTORS="${CMAKE_SOURCE_DIR}/tests/vectors" PENSTOCK_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
  add_test(NAME ${target} COMMAND ${target})
  set_tests_properties(${target} PROPERTIES LABELS ${label} TIMEOUT ${arg_TIMEOUT})
endfunction()
